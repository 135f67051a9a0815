import { afterAll, beforeAll, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { whileHeld } from '../support/held-member.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { askForCode, askForTokens, getGrant, sessionIn, wrong } from '../support/sign-in.ts'
import { statementsOf } from '../support/statements.ts'
import { until } from '../support/until.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ rateLimited: true })
})
afterAll(() => world.close())

const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }
let addresses = 0
/** An address that nobody has called from yet. */
const newNetwork = () => ({ headers: { 'cf-connecting-ip': `203.0.113.${++addresses}` } })
const mailsTo = (email: string) => world.mail.received.filter(({ to }) => to === email).length

/** So much time passes for all budgets. */
const letPass = (time: string) =>
  world.database.query('update budgets set window_start = window_start - $1::interval', [time])

// The mails beyond the five are long codes: see test/security/sign-in-same-network.test.ts and sign-in-newcomers.test.ts.
test.each([
  ['a known address', async () => (await signIn(world)).email],
  ['an unknown address', async () => newEmail()],
])(
  '%s gets five codes an hour from a network, then 429 with Retry-After and a long code, and five more after the hour',
  async (_, of) => {
    const email = await of()
    const at = newNetwork()
    for (let sent = 1; sent <= 5; sent++) await getGrant(world, email, at)
    const reply = await askForCode(world, email, at)
    expect(reply).toMatchObject({ status: 429, body: { error: 'rate_limit_exceeded' } })
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(3500)
    expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(3600)
    expect(await askForCode(world, newEmail(), at)).toMatchObject({ status: 200 })
    await until('the mails', async () => mailsTo(email) === 6)

    await letPass('59 minutes')
    const later = await askForCode(world, email, at)
    expect(later).toMatchObject({ status: 429 })
    expect(Number(later.headers['retry-after'])).toBeLessThanOrEqual(60)

    await until('the mails', async () => mailsTo(email) === 7)
    await letPass('1 minute')
    for (let sent = 6; sent <= 10; sent++) await getGrant(world, email, at)
    expect(await askForCode(world, email, at)).toMatchObject({ status: 429 })
    expect(mailsTo(email)).toBe(12)
  },
)

test('of 20 requests for a code at once five are mailed, and the rest are refused, with one long code', async () => {
  for (let round = 0; round < 3; round++) {
    const [email, at] = [newEmail(), newNetwork()]
    const replies = await Promise.all(Array.from({ length: 20 }, () => askForCode(world, email, at)))
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(15).fill(429)])
    await until('six mails', async () => mailsTo(email) === 6)
  }
})

test('an address can be guessed at from a network 25 times an hour and no more', async () => {
  const [email, at] = [newEmail(), newNetwork()]
  for (let sent = 1; sent <= 5; sent++) {
    const grant = await getGrant(world, email, at)
    for (let by = 1; by <= 5; by++) {
      expect(await askForTokens(world, wrong(grant, by), at)).toMatchObject(invalidGrant)
    }
    expect(await askForTokens(world, grant, at)).toMatchObject(invalidGrant)
  }
  expect(await askForCode(world, email, at)).toMatchObject({ status: 429 })
})

test('a refused request leaves the last code good', async () => {
  const [email, at] = [newEmail(), newNetwork()]
  let last = await getGrant(world, email, at)
  for (let sent = 2; sent <= 5; sent++) last = await getGrant(world, email, at)
  expect(await askForCode(world, email, at)).toMatchObject({ status: 429 })
  sessionIn(await askForTokens(world, last, at))
})

test('another paywall has codes and limits of its own', async () => {
  const file = await paywallFile()
  await world.apply(file)
  const paywallId = file.paywalls[0]!.id
  const [email, at] = [newEmail(), newNetwork()]
  for (let sent = 1; sent <= 5; sent++) await getGrant(world, email, at)
  expect(await askForCode(world, email, at)).toMatchObject({ status: 429 })
  await until('the long code', async () => mailsTo(email) === 6)
  const grant = await getGrant(world, email, { ...at, paywallId })
  sessionIn(await askForTokens(world, grant, { ...at, paywallId }))
})

test('a refusal asks the database once', async () => {
  const [email, at] = [newEmail(), newNetwork()]
  for (let sent = 1; sent <= 5; sent++) await getGrant(world, email, at)
  expect(await statementsOf(world, () => askForCode(world, email, at))).toBe(1)
})

test('a mail is counted though the row of its budget is being deleted', async () => {
  const [email, at] = [newEmail(), newNetwork()]
  await getGrant(world, email, at)
  const where = `what = 'mail' and who = $1`
  const values = [`network:${at.headers['cf-connecting-ip']}`]
  const held = {
    hold: `select from budgets where ${where} for update`,
    change: `delete from budgets where ${where}`,
    values,
  }
  const [reply] = await whileHeld(world, held, [() => askForCode(world, email, at)])
  expect(reply).toMatchObject({ status: 200 })
  const { rows } = await world.database.query(`select taken::int from budgets where ${where}`, values)
  expect(rows).toEqual([{ taken: 1 }])
})
