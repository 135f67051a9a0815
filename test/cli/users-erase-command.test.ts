import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { anonymousBuyer, getSubscription, payOnPage } from '../support/anonymous.ts'
import { call, type Reply } from '../support/call.ts'
import { buy, newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { runWhileLocked } from '../support/held-member.ts'
import { openWebhookEndpoint } from '../support/mailbox.ts'
import { untilAllDelivered } from '../support/owner-events.ts'
import { paywall } from '../support/paywall.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { setConsumed } from '../support/rate-limits.ts'
import { getGrant, signInByMail } from '../support/sign-in.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { cancel } from '../support/subscriber.ts'
import { attachmentKeys, MESSAGE, sendForm, ticketForm, ticketPath } from '../support/tickets.ts'
import { changeBalance } from '../support/token-calls.ts'
import { until } from '../support/until.ts'
import { allRows, createUserInEveryTable, MARK } from '../support/user-in-every-table.ts'
import { userState } from '../support/user-state.ts'
import { verifyLedger } from '../support/verify-ledger.ts'
import { useTestWorld } from '../support/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'paywall-users-'))
const storage = join(folder, 'storage')

// Hooks run in reverse order: the world is closed first.
afterAll(() => rmSync(folder, { recursive: true }))
const world = useTestWorld({ storage })

const users = (verb: string, email: string, ...rest: string[]) =>
  paywall(world, ['users', verb, email, '--owner', world.file.owner.email, ...rest], { ATTACHMENTS_FOLDER: storage })

async function cancelSubscription({ email, id }: { email: string; id: string }): Promise<void> {
  const [purchase] = (await userState(world, id)).purchases
  const body = { paywallId: world.paywall.id, email, subscriptionId: purchase!.id, cancellationReason: `${MARK} left` }
  expect(await cancel(world, { key: world.key, body })).toMatchObject({ status: 200 })
  await until('the cancellation to be stored', async () => {
    const [stored] = (await userState(world, id)).purchases
    return stored?.cancel_at_period_end
  })
  await untilAllDelivered(world)
}

/** The tables whose rows are deleted with the person. */
const DELETED_TABLES = ['rate_limits', 'sign_in_challenges', 'sign_in_sessions', 'ticket_quotas', 'tickets']

const rowsNaming = async ({ email, id }: { email: string; id: string }, table: string) =>
  (await allRows(world)).filter((row) => row.startsWith(`${table}: `) && (row.includes(id) || row.includes(email)))

/** Adds what `createUserInEveryTable` leaves out: a rate limit for pages, and a mailed code that was never used. */
async function addTransientRows(person: { email: string; id: string }): Promise<void> {
  await setConsumed(world, 'pages', `user:${person.id}`, 1)
  await getGrant(world, person.email)
  for (const table of DELETED_TABLES) expect(await rowsNaming(person, table), table).not.toEqual([])
}

const tableName = (row: string) => row.split(':')[0]

/** The address of the receipt of the user's only payment. */
async function getReceipt(userId: string): Promise<string> {
  const [purchase] = (await userState(world, userId)).purchases
  expect(purchase?.last_payment).toMatchObject({ receipt_url: expect.stringMatching(/^http/) })
  return purchase!.last_payment!.receipt_url!
}

const getRows = async (table: string, id: string) =>
  (await world.database.query(`select * from ${table} where user_id = $1 order by created_at`, [id])).rows

describe('users erase', () => {
  test('without --yes prints what would be erased, and changes nothing', async () => {
    const { email } = await signIn(world)
    const before = await stateChecksum(world)
    const { code, out, err } = await users('erase', email)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(
      /^paywall: 1 sessions, 1 members, 1 users would be erased permanently: add --yes to erase it\n$/,
    )
    expect(await stateChecksum(world)).toBe(before)
  })

  test('refuses, and names the subscription, while one would still be charged', async () => {
    const { userId } = await buy(world, { paywall: world.paywall, key: world.key })
    const { user_email: email } = await readEmail(userId)
    await world.stripe.drainWebhooks()
    const [purchase] = (await userState(world, userId)).purchases
    const before = await stateChecksum(world)
    const { code, err } = await users('erase', email, '--yes')
    expect(code).toBe(1)
    expect(err).toContain(`subscription ${purchase!.id} on paywall ${world.paywall.id} (sub_`)
    expect(err).toContain('cancel first, and erase once the cancellation is stored')
    expect(await stateChecksum(world)).toBe(before)
  })

  test('removes all personal data; purchases, payments, balances and the ledger stay', async () => {
    const imagesBefore = (await attachmentKeys(world)).stored
    const person = await createUserInEveryTable(world)
    await addTransientRows(person)
    const other = await signIn(world)
    await cancelSubscription(person)
    expect((await attachmentKeys(world)).stored).toHaveLength(imagesBefore.length + 1)
    const money = ['purchases', 'balances', 'ledger']
    const count = async () =>
      Promise.all(
        money.map(async (table) =>
          world.database.query(`select count(*)::int from ${table} where user_id = $1`, [person.id]),
        ),
      ).then((results) => results.map(({ rows }) => rows[0].count))
    const before = await count()
    const receipt = await getReceipt(person.id)
    const holders = (await allRows(world)).filter((row) => row.includes(receipt)).map(tableName)
    expect(holders.toSorted()).toEqual(['delivery_attempts', 'events', 'payments'])
    const { code, out, err } = await users('erase', person.email, '--yes')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect((await allRows(world)).filter((row) => row.includes(receipt))).toEqual([])
    expect(out).toMatch(/^Erased: .*1 receipts, 1 purchases, .*2 tickets, .* events, .*1 users, 1 images\n/)

    expect((await allRows(world)).filter((row) => row.includes(person.email))).toEqual([])
    expect((await allRows(world)).filter((row) => row.includes(MARK))).toEqual([])
    for (const table of DELETED_TABLES) expect(await rowsNaming(person, table), table).toEqual([])
    expect(await count()).toEqual(before)
    expect(await verifyLedger(world.databaseUrl)).toMatchObject({ code: 0 })
    expect((await attachmentKeys(world)).stored).toEqual(imagesBefore)
    expect((await signIn(world, { email: other.email })).id).toBe(other.id)

    // A new column of these tables must be erased, too, or be listed here.
    expect(await getRows('members', person.id)).toEqual([
      {
        paywall_id: world.paywall.id,
        is_test: true,
        user_id: person.id,
        owner_id: expect.any(String),
        name: null,
        buyer_meta: {},
        meta: {},
        event_sequence: expect.any(String),
        merged_into: null,
        created_at: expect.any(Date),
      },
    ])
    const { rows } = await world.database.query('select * from users where id = $1', [person.id])
    expect(rows).toEqual([
      {
        id: person.id,
        owner_id: expect.any(String),
        is_test: true,
        email: null,
        external_id: null,
        created_at: expect.any(Date),
        purge_at: expect.any(Date),
        erased_at: expect.any(Date),
      },
    ])
  })

  test('lets a returning person start again as a new user', async () => {
    const { email, id } = await signIn(world)
    expect(await users('erase', email, '--yes')).toMatchObject({ code: 0 })
    expect((await signIn(world, { email })).id).not.toBe(id)
    expect(await users('erase', email, '--yes')).toMatchObject({ code: 0 })
    expect(await users('erase', email, '--yes')).toMatchObject({
      code: 1,
      err: `paywall: owner ${world.file.owner.email} has no data about ${email}\n`,
    })
  })

  test('removes personal data from pending events, which are delivered in order, with a new signature', async () => {
    const mailbox = await openWebhookEndpoint(world)
    mailbox.answer = () => ({ status: 500 })
    const [ownPaywall, key] = [mailbox.file.paywalls[0]!, mailbox.file.keys[0]!.secret!]
    const email = `${MARK}-${newEmail()}`
    const member = await signIn(world, { paywallId: ownPaywall.id, key, email })
    for (const amount of [1, 2])
      await changeBalance(world, { user_id: member.id, type: 'premium', amount }, { paywallId: ownPaywall.id, key })
    const ticket = ticketForm({ subject: `${MARK} subject`, content: `${MARK} content` })
    const sentTicket = await sendForm(world, ticket, { paywallId: ownPaywall.id, token: member.token })
    expect(sentTicket).toMatchObject({ status: 200 })
    await until('a failed attempt', async () => mailbox.received().length > 0)
    const args = ['users', 'erase', email, '--owner', mailbox.file.owner.email, '--yes']
    expect(await paywall(world, args)).toMatchObject({ code: 0, err: '' })

    const sent = mailbox.received().length
    mailbox.answer = () => ({})
    await mailbox.passes('1m')
    expect((await mailbox.deliveries()).every(({ state }) => state === 'delivered')).toBe(true)
    const bodies = mailbox.received().slice(sent)
    expect(bodies.every(({ verified }) => verified)).toBe(true)
    // The first credit brings the daily top-up with it.
    const user = { id: member.id, email: null, external_id: null }
    expect(bodies.map(({ body }) => JSON.parse(body).data)).toMatchObject([
      { user, sequence: 1 },
      { user, sequence: 2 },
      { user, sequence: 3 },
      { user, sequence: 4, ticket: { subject: '', content: '', customer_email: null, attachments: [] } },
    ])
  })

  test('stays in effect, although the processor keeps sending webhooks about the purchase', async () => {
    const email = newEmail()
    const { userId: id } = await buy(world, { paywall: world.paywall, key: world.key, email })
    await world.stripe.drainWebhooks()
    await cancelSubscription({ email, id })
    expect(await users('erase', email, '--yes')).toMatchObject({ code: 0 })
    const { rows } = await world.database.query('select processor_id from purchases where user_id = $1', [id])
    await world.stripe.end(rows[0].processor_id)
    await world.stripe.drainWebhooks()
    expect((await userState(world, id)).purchases).toMatchObject([{ status: 'canceled' }])
    expect((await allRows(world)).filter((row) => row.includes(email))).toEqual([])

    const { user } = await signInByMail(world, email)
    expect(user.id).not.toBe(id)
    expect((await userState(world, user.id)).purchases).toEqual([])
  })

  test('also removes the e-mail address from purchases made with it without signing in, and later webhooks do not restore it', async () => {
    const email = newEmail()
    const { user, token, checkoutUrl } = await anonymousBuyer(world)
    await call(world, await payOnPage(checkoutUrl, email))
    expect(await users('erase', email, '--yes')).toMatchObject({ code: 0, out: 'Erased: 1 receipts, 1 addresses\n' })
    await world.stripe.renew(getSubscription(world, checkoutUrl))
    await world.stripe.drainWebhooks()
    expect((await allRows(world)).filter((row) => row.includes(email))).toEqual([])
    const { rows: payments } = await world.database.query(
      'select receipt_url from payments join purchases on purchases.id = purchase_id where user_id = $1',
      [user.id],
    )
    expect(payments).toEqual([{ receipt_url: null }, { receipt_url: null }])
    expect((await userState(world, user.id)).purchases).toMatchObject([{ status: 'active' }])
    expect((await userState(world, (await signInByMail(world, email)).user.id)).purchases).toEqual([])
    // The buyer can still claim the purchase by signing in with another address.
    const known = await signInByMail(world, newEmail(), { token })
    expect((await userState(world, known.user.id)).purchases).toMatchObject([{ status: 'active' }])
  })

  test('ends the user’s access tokens at once', async () => {
    const { email, token } = await signIn(world)
    const read = () => call(world, `/api/v1/paywall/${world.paywall.id}/user`, { token })
    expect(await read()).toMatchObject({ status: 200 })
    expect(await users('erase', email, '--yes')).toMatchObject({ code: 0 })
    expect(await read()).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    expect(await call(world, ticketPath(world.paywall.id), { token, body: MESSAGE })).toMatchObject({ status: 401 })
  })

  test('leaves no e-mail address on a ticket that was sent while it ran', async () => {
    const { email, id, token } = await signIn(world)
    const sendTicket = () => call(world, ticketPath(world.paywall.id), { token, body: MESSAGE })
    const [erased, sent] = await runWhileLocked<Reply | Awaited<ReturnType<typeof users>>>(
      world,
      { hold: 'select from members where user_id = $1 for update', values: [id] },
      [() => users('erase', email, '--yes'), sendTicket],
    )
    expect(erased).toMatchObject({ code: 0 })
    expect(sent).toMatchObject({ status: 200 })
    expect((await allRows(world)).filter((row) => row.includes(email))).toEqual([])
    expect(await getRows('tickets', id)).toMatchObject([{ customer_email: null }])
  })

  test('does not affect another owner’s user with the same address', async () => {
    const elsewhere = await paywallFile()
    await world.apply(elsewhere)
    const otherOwner = { paywallId: elsewhere.paywalls[0]!.id, key: elsewhere.keys[0]!.secret! }
    const email = newEmail()
    await signIn(world, { email })
    const member = await signIn(world, { ...otherOwner, email })
    expect(await users('erase', email, '--yes')).toMatchObject({ code: 0 })
    expect((await signIn(world, { ...otherOwner, email })).id).toBe(member.id)
  })
})

async function readEmail(userId: string): Promise<{ user_email: string }> {
  const { rows } = await world.database.query('select email as user_email from users where id = $1', [userId])
  return rows[0]
}
