import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newEmail, opened, startCheckout } from './support/checkout.ts'
import { untilAllDelivered } from './support/owner-events.ts'
import { askForCode, refresh, sessionIn, signInAnonymously } from './support/sign-in.ts'
import { MESSAGE, sendForm, ticketForm, ticketId } from './support/tickets.ts'
import { changeBalance } from './support/token-calls.ts'
import { startTestWorld, type TestWorld } from './support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld()
})
afterAll(() => world.close())

const forgetExpired = () => world.workers.scheduled('forget-expired')

const TABLES = ['balance_replies', 'checkout_claims', 'ticket_quotas', 'mailed_codes', 'sign_in_sessions', 'deliveries']

async function rowsIn(): Promise<number[]> {
  const counts = TABLES.map((table) => `(select count(*)::int from ${table})`)
  const { rows } = await world.database.query<{ counts: number[] }>(`select array[${counts.join()}] as counts`)
  return rows[0]!.counts
}

/** That much time passes for all that may expire. */
async function age(time: string): Promise<void> {
  await world.database.query(`
    update balance_replies set created_at = created_at - interval '${time}';
    update checkout_claims set claimed_at = claimed_at - interval '${time}';
    update ticket_quotas set opened = array(select at - interval '${time}' from unnest(opened) at);
    update mailed_codes set expires_at = expires_at - interval '${time}';
    update sign_in_sessions set expires_at = expires_at - interval '${time}', ended_at = ended_at - interval '${time}';
    update deliveries set finished_at = finished_at - interval '${time}'`)
}

test('what is in use stays, and what has no use any more goes', async () => {
  const once = () => ({ headers: { 'idempotency-key': randomUUID() } })
  const { userId } = opened(await startCheckout(world, { paywall: world.paywall, key: world.key, ...once() }))
  const [kept, ended] = [await signInAnonymously(world), await signInAnonymously(world)]
  expect(await changeBalance(world, { user_id: userId }, once())).toMatchObject({ status: 200 })
  expect(await askForCode(world, newEmail())).toMatchObject({ status: 200 })
  ticketId(await sendForm(world, ticketForm({ ...MESSAGE, customer_email: newEmail() })))
  await untilAllDelivered(world)
  // A token that was used twice over before ends its session.
  sessionIn(await refresh(world, sessionIn(await refresh(world, ended.refreshToken)).refreshToken))
  expect(await refresh(world, ended.refreshToken)).toMatchObject({ status: 400 })

  const all = [1, 1, 1, 1, 2, 1]
  const rowsByHour: Record<string, number[]> = {}
  let passed = 0
  for (const hours of [0, 0.9, 1.5, 24.5, 25.5, 719, 720.5]) {
    await age(`${hours - passed} hours`)
    passed = hours
    await forgetExpired()
    rowsByHour[hours] = await rowsIn()
  }
  expect(rowsByHour).toEqual({
    0: all,
    0.9: all,
    1.5: [1, 1, 1, 0, 1, 1],
    24.5: [1, 1, 1, 0, 1, 1],
    25.5: [0, 0, 0, 0, 1, 1],
    719: [0, 0, 0, 0, 1, 1],
    720.5: [0, 0, 0, 0, 1, 0],
  })
  expect(await refresh(world, ended.refreshToken)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  await age('-48 hours')
  sessionIn(await refresh(world, kept.refreshToken))
})

test('a run goes on until nothing is left that has expired', async () => {
  await world.database.query(
    `insert into balance_replies (paywall_id, idempotency_key, request_hash, reply, created_at)
     select $1, gen_random_uuid(), repeat('0', 64), '{}', now() - interval '26 hours' from generate_series(1, 120000)`,
    [world.paywall.id],
  )
  await forgetExpired()
  const { rows } = await world.database.query(
    `select from balance_replies where created_at <= now() - interval '25 hours' limit 1`,
  )
  expect(rows).toEqual([])
})
