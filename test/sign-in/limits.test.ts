// How many mails with a code are sent, to whom and by whose calls. Each limit is refilled evenly, and has its figure here.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { whileHeld } from '../support/held-member.ts'
import { advanceRefills, setConsumed } from '../support/rate-limits.ts'
import { askForCode, askForTokens, getGrant, sessionIn, wrong } from '../support/sign-in.ts'
import { readStatements } from '../support/statements.ts'
import { newTenant } from '../support/tenants.ts'
import { until } from '../support/until.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ rateLimited: true })
})
beforeEach(() => world.database.query('delete from rate_limits'))
afterEach(() => {
  world.mail.onMail = undefined
})
afterAll(() => world.close())

let addresses = 0
/** A call from a network that nobody has called from yet. */
const newNetwork = () => ({ headers: { 'cf-connecting-ip': `203.0.113.${++addresses}` } })
type At = ReturnType<typeof newNetwork>
const mailsTo = (email: string) => world.mail.received.filter(({ to }) => to === email).length

/** How many of so many calls at once are answered with each status. */
async function ask(count: number, call: (index: number) => Promise<{ status: number }>) {
  const statuses = (await Promise.all(Array.from({ length: count }, (_, index) => call(index)))).map((r) => r.status)
  return { sent: statuses.filter((s) => s === 200).length, refused: statuses.filter((s) => s === 429).length }
}

/** What a network consumes of a limit of its own on the world's paywall. */
const ofNetwork = (at: At, paywallId = world.paywall.id) =>
  `network:${at.headers['cf-connecting-ip']} paywall:${paywallId}`
const ofPaywall = () => `paywall:${world.paywall.id}`

/** How much is consumed of the limits of this name, the highest first. */
async function consumed(name: string): Promise<number[]> {
  const text = 'select consumed::int from rate_limits where name = $1 order by consumed desc'
  return (await world.database.query<{ consumed: number }>(text, [name])).rows.map((row) => row.consumed)
}

test.each([
  ['a known address', async () => (await signIn(world)).email],
  ['an unknown address', async () => newEmail()],
])('%s gets five codes an hour by calls from a network, which are back one by one', async (_, toEmail) => {
  const [email, at] = [await toEmail(), newNetwork()]
  for (let sent = 1; sent <= 5; sent++) await getGrant(world, email, at)
  const refused = await askForCode(world, email, at)
  expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limit_exceeded' } })
  expect(Object.keys(refused.body as object)).toEqual(['error'])
  const wait = Number(refused.headers['retry-after'])
  expect(wait).toBeGreaterThan(690)
  expect(wait).toBeLessThanOrEqual(720)
  expect(await askForCode(world, newEmail(), at)).toMatchObject({ status: 200 })

  await advanceRefills(world, `${wait - 60} seconds`)
  expect(await askForCode(world, email, at)).toMatchObject({ status: 429 })
  await advanceRefills(world, '1 minute')
  expect(await ask(5, () => askForCode(world, email, at))).toEqual({ sent: 1, refused: 4 })
  await advanceRefills(world, '1 hour')
  expect(await ask(8, () => askForCode(world, email, at))).toEqual({ sent: 5, refused: 3 })
  await until('the mails', async () => mailsTo(email) === 11)
})

test('of 50 calls at once exactly five are mailed', async () => {
  for (let round = 0; round < 3; round++) {
    const [email, at] = [newEmail(), newNetwork()]
    expect(await ask(50, () => askForCode(world, email, at))).toEqual({ sent: 5, refused: 45 })
    await until('five mails', async () => mailsTo(email) === 5)
  }
})

test('an address gets 30 mails an hour, from however many networks they are asked for', async () => {
  const email = newEmail()
  const networks = Array.from({ length: 7 }, newNetwork)
  expect(await ask(35, (index) => askForCode(world, email, networks[index % 7]!))).toEqual({ sent: 30, refused: 5 })
  expect(await askForCode(world, newEmail(), networks[0])).toMatchObject({ status: 200 })
  const refused = await askForCode(world, email, newNetwork())
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(120)
  await advanceRefills(world, '2 minutes')
  expect(await ask(3, () => askForCode(world, email, newNetwork()))).toEqual({ sent: 1, refused: 2 })
})

test('a network has 100 mails an hour sent on a paywall, and the next one after 36 seconds', async () => {
  const at = newNetwork()
  await setConsumed(world, 'network mail', ofNetwork(at), 90)
  expect(await ask(20, () => askForCode(world, newEmail(), at))).toEqual({ sent: 10, refused: 10 })
  const refused = await askForCode(world, newEmail(), at)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(30)
  const { paywall } = await newTenant(world)
  expect(await askForCode(world, newEmail(), { ...at, paywallId: paywall.id })).toMatchObject({ status: 200 })
  await setConsumed(world, 'network mail', ofNetwork(at), 100, 37)
  expect(await ask(2, () => askForCode(world, newEmail(), at))).toEqual({ sent: 1, refused: 1 })
})

test('a paywall has 5,000 mails an hour, of which the first three of each network do not count', async () => {
  const at = newNetwork()
  await setConsumed(world, 'paywall mail', ofPaywall(), 4999)
  expect(await ask(10, () => askForCode(world, newEmail(), at))).toEqual({ sent: 4, refused: 6 })
  expect(await ask(10, () => askForCode(world, newEmail(), newNetwork()))).toEqual({ sent: 10, refused: 0 })
  expect(await ask(5, () => askForCode(world, newEmail(), at))).toEqual({ sent: 0, refused: 5 })
})

test('and 20,000 in all, the first three of each network included', async () => {
  await setConsumed(world, 'all mail', ofPaywall(), 19_998)
  expect(await ask(6, () => askForCode(world, newEmail(), newNetwork()))).toEqual({ sent: 2, refused: 4 })
  const { paywall } = await newTenant(world)
  expect(await askForCode(world, newEmail(), { ...newNetwork(), paywallId: paywall.id })).toMatchObject({ status: 200 })
})

test('a call that is refused consumes nothing, whichever limit refuses it', async () => {
  const [email, at] = [newEmail(), newNetwork()]
  const limits = [
    ['network mail', ofNetwork(at), 100],
    ['paywall mail', ofPaywall(), 5000],
    ['all mail', ofPaywall(), 20_000],
  ] as const
  for (const [name, key, most] of limits) {
    await world.database.query('delete from rate_limits')
    await setConsumed(world, 'first mail', ofNetwork(at), 3)
    await setConsumed(world, name, key, most)
    expect(await ask(20, () => askForCode(world, email, at))).toEqual({ sent: 0, refused: 20 })
    const { rows } = await world.database.query('select sum(consumed)::int as sum from rate_limits')
    expect(rows).toEqual([{ sum: most + 3 }])
  }
})

test('a mail that cannot be sent is refunded to its address, and not to the network and the paywall', async () => {
  const [email, at] = [newEmail(), newNetwork()]
  world.mail.onMail = () => {
    throw new Error('no such mailbox')
  }
  for (let call = 0; call < 8; call++) {
    expect(await askForCode(world, email, at)).toMatchObject({ status: 200 })
    await until('the refund', async () => (await consumed('address mail')).every((count) => count === 0))
  }
  expect(await consumed('network mail')).toEqual([8])
  expect((await consumed('all mail'))[0]).toBeGreaterThan(0) // one is refilled each 0.18 seconds
})

test('guesses have no limit but that of their challenge: a wrong one locks nobody out', async () => {
  const [email, at] = [newEmail(), newNetwork()]
  const wrongOnes = await Promise.all(Array.from({ length: 5 }, () => getGrant(world, newEmail(), at)))
  const guesses = wrongOnes.flatMap((grant) => Array.from({ length: 30 }, (_, by) => wrong(grant, by + 1)))
  const replies = await Promise.all(guesses.map((guess) => askForTokens(world, guess, at)))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400]))
  sessionIn(await askForTokens(world, await getGrant(world, email, at), at))
})

test('a refused call leaves the codes before it good', async () => {
  const [email, at] = [newEmail(), newNetwork()]
  const grants = []
  for (let sent = 1; sent <= 5; sent++) grants.push(await getGrant(world, email, at))
  expect(await askForCode(world, email, at)).toMatchObject({ status: 429 })
  for (const grant of grants) sessionIn(await askForTokens(world, grant, at))
})

test('another paywall has limits of its own', async () => {
  const { paywall } = await newTenant(world)
  const [email, at] = [newEmail(), newNetwork()]
  expect(await ask(6, () => askForCode(world, email, at))).toEqual({ sent: 5, refused: 1 })
  await until('the mails', async () => mailsTo(email) === 5)
  const there = { ...at, paywallId: paywall.id }
  sessionIn(await askForTokens(world, await getGrant(world, email, there), there))
})

test('a refusal asks the database once', async () => {
  const [email, at] = [newEmail(), newNetwork()]
  await ask(5, () => askForCode(world, email, at))
  expect(await readStatements(world, () => askForCode(world, email, at))).toBe(1)
})

test('a mail is counted though the row of its limit is being deleted', async () => {
  const [email, at] = [newEmail(), newNetwork()]
  await getGrant(world, email, at)
  const where = `name = 'network mail' and key = $1`
  const values = [ofNetwork(at)]
  const held = {
    hold: `select from rate_limits where ${where} for update`,
    change: `delete from rate_limits where ${where}`,
    values,
  }
  const [reply] = await whileHeld(world, held, [() => askForCode(world, email, at)])
  expect(reply).toMatchObject({ status: 200 })
  expect(await consumed('network mail')).toEqual([1])
})
