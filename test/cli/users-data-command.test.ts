import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { buy, newEmail } from '../support/checkout.ts'
import { everything } from '../support/everything.ts'
import { signIn } from '../support/exchange.ts'
import { openMailbox, sweep } from '../support/mailbox.ts'
import { untilAllDelivered } from '../support/owner-events.ts'
import { paywall } from '../support/paywall.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { signInAnonymously, signInByMail } from '../support/sign-in.ts'
import { cancel } from '../support/subscriber.ts'
import { attachmentKeys, image, sendForm, ticketForm } from '../support/tickets.ts'
import { changeBalance } from '../support/token-calls.ts'
import { until } from '../support/until.ts'
import { userState } from '../support/user-state.ts'
import { verifyLedger } from '../support/verify-ledger.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'paywall-users-'))
const storage = join(folder, 'storage')
let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ storage })
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true })
})

const users = (verb: string, email: string, ...rest: string[]) =>
  paywall(world, ['users', verb, email, '--owner', world.file.owner.email, ...rest], { ATTACHMENTS_FOLDER: storage })

/** What only this person has written or is called. Each begins alike, so that all of it can be looked for. */
const MARK = 'zq-person'

/** A subscriber who has left something in every table that a person can leave something in. */
async function somebody(): Promise<{ email: string; id: string }> {
  const email = `${MARK}-${newEmail()}`
  const anonymous = await signInAnonymously(world)
  const { token, user } = await signInByMail(world, email, { token: anonymous.token })
  await call(world, `/api/v1/paywall/${world.paywall.id}/sign-in/exchange`, {
    key: world.key,
    body: { email, name: `${MARK} Ann` },
  })
  const body = { userMeta: { note: `${MARK} meta` }, shopUrl: `https://shop.example/?who=${MARK}` }
  await buy(world, { paywall: world.paywall, key: world.key, email, body })
  expect(await changeBalance(world, { user_id: user.id, type: 'premium', amount: 7 })).toMatchObject({ status: 200 })
  const text = { subject: `${MARK} subject`, content: `${MARK} content` }
  const file = { ...image(), name: `${MARK}.png` }
  expect(await sendForm(world, ticketForm(text, [file]), { token })).toMatchObject({ status: 200 })
  // A guest wrote in its name.
  const guest = await sendForm(world, ticketForm({ ...text, customer_email: email }))
  expect(guest).toMatchObject({ status: 200 })
  await world.stripe.drainWebhooks()
  await untilAllDelivered(world)
  return { email, id: user.id }
}

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

/** Every row of every table, as text. */
async function allRows(): Promise<string[]> {
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

const rowsOf = async (table: string, id: string) =>
  (await world.database.query(`select * from ${table} where user_id = $1 order by created_at`, [id])).rows

describe('users export', () => {
  test('prints all that the database has of a person, and no hash of a secret', async () => {
    const { email, id } = await somebody()
    const { code, out, err } = await users('export', email.toUpperCase())
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const exported = JSON.parse(out)
    expect(exported).toMatchObject({
      email,
      owner: world.file.owner.email,
      users: [{ id, email }],
      members: [{ user_id: id, name: `${MARK} Ann`, meta: { note: `${MARK} meta` } }],
      checkouts: [{ shop_url: `https://shop.example/?who=${MARK}` }],
      purchases: [{ user_id: id, status: 'active' }],
      payments: [{ kind: 'succeeded', amount: 999 }],
      balances: expect.arrayContaining([expect.objectContaining({ type: 'premium', count: 7 })]),
      ledger: expect.arrayContaining([expect.objectContaining({ type: 'premium', delta: 7 })]),
      tickets: [
        { user_id: id, content: `${MARK} content` },
        { user_id: null, customer_email: email },
      ],
      ticket_attachments: [{ file_name: `${MARK}.png` }],
      sign_in_sessions: expect.arrayContaining([expect.objectContaining({ user_id: id })]),
      ticket_quotas: expect.arrayContaining([expect.objectContaining({ who: `email:${email}` })]),
    })
    const types = exported.events.map(({ type }: { type: string }) => type)
    expect(types).toEqual(expect.arrayContaining(['checkout.completed', 'payment.succeeded', 'ticket.created']))
    expect(types.filter((type: string) => type === 'ticket.created')).toHaveLength(2)
    expect(out).not.toMatch(/_hash"/)

    // Whatever row says something of the person is in what was printed.
    const marked = (await allRows()).filter((row) => row.includes(email) || row.includes(id))
    const tables = new Set(marked.map((row) => row.split(':')[0]!))
    for (const table of tables) {
      if (table === 'deliveries') continue // only which event, to which webhook endpoint, how
      expect(exported[table], table).toHaveLength(marked.filter((row) => row.startsWith(`${table}:`)).length)
    }
  })

  test('prints nothing of anybody else, nor for another owner', async () => {
    const [one, other] = [await signIn(world), await signIn(world)]
    const { out } = await users('export', one.email)
    expect(out).not.toContain(other.id)
    const elsewhere = await paywallFile()
    await world.apply(elsewhere)
    const args = ['users', 'export', one.email, '--owner', elsewhere.owner.email]
    expect(await paywall(world, args)).toEqual({
      code: 1,
      out: '',
      err: `paywall: owner ${elsewhere.owner.email} has nothing of ${one.email}\n`,
    })
  })
})

describe('users erase', () => {
  test('without --yes says what would go, and changes nothing', async () => {
    const { email } = await signIn(world)
    const before = await everything(world)
    const { code, out, err } = await users('erase', email)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^paywall: 1 sessions, 1 members, 1 users would be erased for good: say --yes to do it\n$/)
    expect(await everything(world)).toBe(before)
  })

  test('refuses while a subscription would go on being charged, and names it', async () => {
    const { userId } = await buy(world, { paywall: world.paywall, key: world.key })
    const { user_email: email } = await emailOf(userId)
    await world.stripe.drainWebhooks()
    const [purchase] = (await userState(world, userId)).purchases
    const before = await everything(world)
    const { code, err } = await users('erase', email, '--yes')
    expect(code).toBe(1)
    expect(err).toContain(`subscription ${purchase!.id} on paywall ${world.paywall.id} (sub_`)
    expect(err).toContain('cancel first, and erase once the cancellation is stored')
    expect(await everything(world)).toBe(before)
  })

  test('leaves nothing of the person anywhere; purchases, payments, balances and the ledger stay', async () => {
    const imagesBefore = (await attachmentKeys(world)).stored
    const person = await somebody()
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
    const { code, out, err } = await users('erase', person.email, '--yes')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^Erased: .*1 purchases, .*2 tickets, .* events, .*1 users, 1 images\n/)

    expect((await allRows()).filter((row) => row.includes(person.email))).toEqual([])
    const own = (await allRows()).filter((row) => row.includes(person.id))
    expect(own.filter((row) => row.includes(MARK))).toEqual([])
    expect(await count()).toEqual(before)
    expect(await verifyLedger(world.databaseUrl)).toMatchObject({ code: 0 })
    expect((await attachmentKeys(world)).stored).toEqual(imagesBefore)
    expect((await signIn(world, { email: other.email })).id).toBe(other.id)

    // A column that is new to these tables has to be erased, too, or to be named here.
    expect(await rowsOf('members', person.id)).toEqual([
      {
        paywall_id: world.paywall.id,
        user_id: person.id,
        name: null,
        meta: {},
        event_sequence: expect.any(String),
        open_session: expect.stringMatching(/^stripe:cs_/),
        merged_into: null,
        created_at: expect.any(Date),
      },
    ])
    const { rows } = await world.database.query('select * from users where id = $1', [person.id])
    expect(rows).toEqual([{ id: person.id, email: null, created_at: expect.any(Date) }])
  }, 90_000)

  test('lets who comes back begin anew, as another user', async () => {
    const { email, id } = await signIn(world)
    expect(await users('erase', email, '--yes')).toMatchObject({ code: 0 })
    expect((await signIn(world, { email })).id).not.toBe(id)
    expect(await users('erase', email, '--yes')).toMatchObject({ code: 0 })
    expect(await users('erase', email, '--yes')).toMatchObject({
      code: 1,
      err: `paywall: owner ${world.file.owner.email} has nothing of ${email}\n`,
    })
  })

  test('of what the owner was not told yet takes the person out, and it goes out in order, signed as it is now', async () => {
    const mailbox = await openMailbox(world)
    mailbox.answer = () => ({ status: 500 })
    const [paywallUnderTest, key] = [mailbox.file.paywalls[0]!, mailbox.file.keys[0]!.secret!]
    const email = `${MARK}-${newEmail()}`
    const member = await signIn(world, { paywallId: paywallUnderTest.id, key, email })
    for (const amount of [1, 2])
      await changeBalance(
        world,
        { user_id: member.id, type: 'premium', amount },
        { paywallId: paywallUnderTest.id, key },
      )
    await until('a failed attempt', async () => mailbox.received().length > 0)
    const args = ['users', 'erase', email, '--owner', mailbox.file.owner.email, '--yes']
    expect(await paywall(world, args)).toMatchObject({ code: 0, err: '' })

    const sent = mailbox.received().length
    mailbox.answer = () => ({})
    await until('both to be delivered', async () => {
      await mailbox.passTime()
      await sweep(world)
      return (await mailbox.deliveries()).every(({ state }) => state === 'delivered')
    })
    const bodies = mailbox.received().slice(sent)
    expect(bodies.every(({ verified }) => verified)).toBe(true)
    // The first credit brings the daily top-up with it.
    const user = { id: member.id, email: null }
    expect(bodies.map(({ body }) => JSON.parse(body).data)).toMatchObject([
      { user, sequence: 1 },
      { user, sequence: 2 },
      { user, sequence: 3 },
    ])
  })

  test('leaves alone what another owner has of the same address', async () => {
    const elsewhere = await paywallFile()
    await world.apply(elsewhere)
    const theirs = { paywallId: elsewhere.paywalls[0]!.id, key: elsewhere.keys[0]!.secret! }
    const email = newEmail()
    await signIn(world, { email })
    const member = await signIn(world, { ...theirs, email })
    expect(await users('erase', email, '--yes')).toMatchObject({ code: 0 })
    expect((await signIn(world, { ...theirs, email })).id).toBe(member.id)
  })
})

async function emailOf(userId: string): Promise<{ user_email: string }> {
  const { rows } = await world.database.query('select email as user_email from users where id = $1', [userId])
  return rows[0]
}

describe('users is refused in one sentence', () => {
  test.each([
    ['another verb', ['users', 'sell'], /^paywall: say users export EMAIL --owner EMAIL, or users erase/],
    ['no address', ['users', 'export', '--owner', 'a@b.co'], /^paywall: whose data\? Give one e-mail address\n$/],
    ['no owner', ['users', 'erase', 'a@b.co', '--yes'], /^paywall: of which owner\? Give --owner/],
    ['an unknown option', ['users', 'erase', 'a@b.co', '--force'], /^paywall: Unknown option '--force'/],
    [
      'an owner that is not there',
      ['users', 'export', 'a@b.co', '--owner', 'x@y.co'],
      /^paywall: there is no owner x@y.co\n$/,
    ],
  ])('%s', async (_what, args, sentence) => {
    const { code, out, err } = await paywall(world, args)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(sentence)
  })
})
