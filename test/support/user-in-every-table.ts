import { randomUUID } from 'node:crypto'
import { call, type Reply } from './call.ts'
import { buy, newEmail } from './checkout.ts'
import { createGrant, endGrant, parseGranted } from './grant-calls.ts'
import { untilAllDelivered } from './owner-events.ts'
import { signInAnonymously, signInByMail } from './sign-in.ts'
import { randomImage, sendForm, ticketForm } from './tickets.ts'
import { changeBalance } from './token-calls.ts'
import type { TestWorld } from './world.ts'

/** The prefix of everything that this person is called or has written, so that a test can search for it. */
export const MARK = 'zq-person'

/** Creates a subscriber with a row in every table that can have data of a person. */
export async function createUserInEveryTable(world: TestWorld): Promise<{ email: string; id: string }> {
  const email = `${MARK}-${newEmail()}`
  world.receiver.answer = ({ body }) => ({ body }) // an owner's backend that repeats what it gets
  const anonymous = await signInAnonymously(world)
  const { token, user } = await signInByMail(world, email, { token: anonymous.token })
  await call(world, `/api/v1/paywall/${world.paywall.id}/sign-in/exchange`, {
    key: world.key,
    body: { email, external_id: `${MARK}-${randomUUID()}`, name: `${MARK} Ann` },
  })
  const [successUrl, errorUrl, shopUrl] = ['thanks', 'failed', ''].map(
    (page) => `https://shop.example/${page}?who=${MARK}`,
  )
  const body = { userMeta: { note: `${MARK} meta` }, successUrl, errorUrl, shopUrl }
  await buy(world, { paywall: world.paywall, key: world.key, email, body })
  expectOk(await changeBalance(world, { user_id: user.id, type: 'premium', amount: 7 }))
  const { grant } = parseGranted(await createGrant(world, { user_id: user.id, reason: `${MARK} reason` }))
  expectOk(await endGrant(world, grant.id, { body: { reason: `${MARK} end` } }))
  const text = { subject: `${MARK} subject`, content: `${MARK} content` }
  const file = { ...randomImage(), name: `${MARK}.png` }
  expectOk(await sendForm(world, ticketForm(text, [file]), { token }))
  // A guest gives the same address.
  const guest = await sendForm(world, ticketForm({ ...text, customer_email: email }))
  expectOk(guest)
  await world.stripe.drainWebhooks()
  await untilAllDelivered(world)
  return { email, id: user.id }
}

/** Every row of every table, as text. */
export async function allRows(world: TestWorld): Promise<string[]> {
  const { rows: tables } = await world.database.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
  )
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const found = await world.database.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`)
      return found.rows.map(({ row }) => `${name}: ${row}`)
    }),
  )
  return rows.flat()
}

function expectOk({ status, body }: Reply): void {
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
}
