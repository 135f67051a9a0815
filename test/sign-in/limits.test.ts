// The limits of the mails with a sign-in code, by e-mail address, network and paywall. Each limit is refilled evenly.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { runWhileLocked } from '../support/held-member.ts'
import { advanceRefills, setConsumed } from '../support/rate-limits.ts'
import { refusal } from '../support/refusal.ts'
import { getGrant, parseSession, requestCode, requestTokens, wrong } from '../support/sign-in.ts'
import { countStatements } from '../support/statements.ts'
import { newTenant } from '../support/tenants.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ rateLimited: true })
beforeEach(() => world.database.query('delete from rate_limits'))
afterEach(() => {
  world.mail.onMail = undefined
})

let addresses = 0
/** A call from a network that nobody has called from yet. */
const newNetwork = () => ({ headers: { 'cf-connecting-ip': `203.0.113.${++addresses}` } })
type Network = ReturnType<typeof newNetwork>
const mailsTo = (email: string) => world.mail.received.filter(({ to }) => to === email).length

/** Makes `count` concurrent calls, and counts those that send a mail and those that are refused. */
async function callConcurrently(count: number, call: (index: number) => Promise<{ status: number }>) {
  const statuses = (await Promise.all(Array.from({ length: count }, (_, index) => call(index)))).map((r) => r.status)
  return { sent: statuses.filter((s) => s === 200).length, refused: statuses.filter((s) => s === 429).length }
}

/** The key of a network's own limit on a paywall. */
const networkKey = (network: Network, paywallId = world.paywall.id) =>
  `network:${network.headers['cf-connecting-ip']} paywall:${paywallId}`
const paywallKey = () => `paywall:${world.paywall.id}`

/** How much is consumed of the limits of this name, the highest first. */
async function consumed(name: string): Promise<number[]> {
  const text = 'select consumed::int from rate_limits where name = $1 order by consumed desc'
  return (await world.database.query<{ consumed: number }>(text, [name])).rows.map((row) => row.consumed)
}

test.each([
  ['a known address', async () => (await signIn(world)).email],
  ['an unknown address', async () => newEmail()],
])('%s gets five codes an hour by calls from a network, which are refilled one by one', async (_, toEmail) => {
  const [email, network] = [await toEmail(), newNetwork()]
  for (let sent = 1; sent <= 5; sent++) await getGrant(world, email, network)
  const refused = await requestCode(world, email, network)
  expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limit_exceeded' } })
  expect(refused.body).toEqual(refusal('rate_limit_exceeded'))
  const wait = Number(refused.headers['retry-after'])
  expect(wait).toBeGreaterThan(690)
  expect(wait).toBeLessThanOrEqual(720)
  expect(await requestCode(world, newEmail(), network)).toMatchObject({ status: 200 })

  await advanceRefills(world, `${wait - 60} seconds`)
  expect(await requestCode(world, email, network)).toMatchObject({ status: 429 })
  await advanceRefills(world, '1 minute')
  expect(await callConcurrently(5, () => requestCode(world, email, network))).toEqual({ sent: 1, refused: 4 })
  await advanceRefills(world, '1 hour')
  expect(await callConcurrently(8, () => requestCode(world, email, network))).toEqual({ sent: 5, refused: 3 })
  await until('the mails', async () => mailsTo(email) === 11)
})

test('of 50 concurrent calls, exactly five send a mail', async () => {
  for (let round = 0; round < 3; round++) {
    const [email, network] = [newEmail(), newNetwork()]
    expect(await callConcurrently(50, () => requestCode(world, email, network))).toEqual({ sent: 5, refused: 45 })
    await until('five mails', async () => mailsTo(email) === 5)
  }
})

test('an address gets 30 mails an hour, however many networks request them', async () => {
  const email = newEmail()
  const networks = Array.from({ length: 7 }, newNetwork)
  expect(await callConcurrently(35, (index) => requestCode(world, email, networks[index % 7]!))).toEqual({
    sent: 30,
    refused: 5,
  })
  expect(await requestCode(world, newEmail(), networks[0])).toMatchObject({ status: 200 })
  const refused = await requestCode(world, email, newNetwork())
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(120)
  await advanceRefills(world, '2 minutes')
  expect(await callConcurrently(3, () => requestCode(world, email, newNetwork()))).toEqual({ sent: 1, refused: 2 })
})

test('a network can request 100 mails an hour on a paywall, and the next one after 36 seconds', async () => {
  const network = newNetwork()
  await setConsumed(world, 'network mail', networkKey(network), 90)
  expect(await callConcurrently(20, () => requestCode(world, newEmail(), network))).toEqual({ sent: 10, refused: 10 })
  const refused = await requestCode(world, newEmail(), network)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(30)
  const { paywall } = await newTenant(world)
  expect(await requestCode(world, newEmail(), { ...network, paywallId: paywall.id })).toMatchObject({ status: 200 })
  await setConsumed(world, 'network mail', networkKey(network), 100, 37)
  expect(await callConcurrently(2, () => requestCode(world, newEmail(), network))).toEqual({ sent: 1, refused: 1 })
})

test('a paywall sends 5,000 mails an hour, of which the first three of each network do not count', async () => {
  const network = newNetwork()
  await setConsumed(world, 'paywall mail', paywallKey(), 4999)
  expect(await callConcurrently(10, () => requestCode(world, newEmail(), network))).toEqual({ sent: 4, refused: 6 })
  expect(await callConcurrently(10, () => requestCode(world, newEmail(), newNetwork()))).toEqual({
    sent: 10,
    refused: 0,
  })
  expect(await callConcurrently(5, () => requestCode(world, newEmail(), network))).toEqual({ sent: 0, refused: 5 })
})

test('a paywall sends 20,000 mails an hour in all, the first three of each network included', async () => {
  await setConsumed(world, 'all mail', paywallKey(), 19_998)
  expect(await callConcurrently(6, () => requestCode(world, newEmail(), newNetwork()))).toEqual({ sent: 2, refused: 4 })
  const { paywall } = await newTenant(world)
  expect(await requestCode(world, newEmail(), { ...newNetwork(), paywallId: paywall.id })).toMatchObject({
    status: 200,
  })
})

test('a call that is refused consumes nothing, whichever limit refuses it', async () => {
  const [email, network] = [newEmail(), newNetwork()]
  const limits = [
    ['network mail', networkKey(network), 100],
    ['paywall mail', paywallKey(), 5000],
    ['all mail', paywallKey(), 20_000],
  ] as const
  for (const [name, key, most] of limits) {
    await world.database.query('delete from rate_limits')
    await setConsumed(world, 'first mail', networkKey(network), 3)
    await setConsumed(world, name, key, most)
    expect(await callConcurrently(20, () => requestCode(world, email, network))).toEqual({ sent: 0, refused: 20 })
    const { rows } = await world.database.query('select sum(consumed)::int as sum from rate_limits')
    expect(rows).toEqual([{ sum: most + 3 }])
  }
})

test('a mail that cannot be sent is refunded to its address, and not to the network and the paywall', async () => {
  const [email, network] = [newEmail(), newNetwork()]
  world.mail.onMail = () => {
    throw new Error('no such mailbox')
  }
  for (let call = 0; call < 8; call++) {
    expect(await requestCode(world, email, network)).toMatchObject({ status: 200 })
    await until('the refund', async () => (await consumed('address mail')).every((count) => count === 0))
  }
  expect(await consumed('network mail')).toEqual([8])
  expect((await consumed('all mail'))[0]).toBeGreaterThan(0) // one is refilled each 0.18 seconds
})

test('guesses are limited only per challenge: wrong ones lock nobody out', async () => {
  const [email, network] = [newEmail(), newNetwork()]
  const otherGrants = await Promise.all(Array.from({ length: 5 }, () => getGrant(world, newEmail(), network)))
  const guesses = otherGrants.flatMap((grant) => Array.from({ length: 30 }, (_, by) => wrong(grant, by + 1)))
  const replies = await Promise.all(guesses.map((guess) => requestTokens(world, guess, network)))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400]))
  parseSession(await requestTokens(world, await getGrant(world, email, network), network))
})

test('a refused call leaves earlier codes valid', async () => {
  const [email, network] = [newEmail(), newNetwork()]
  const grants = []
  for (let sent = 1; sent <= 5; sent++) grants.push(await getGrant(world, email, network))
  expect(await requestCode(world, email, network)).toMatchObject({ status: 429 })
  for (const grant of grants) parseSession(await requestTokens(world, grant, network))
})

test('another paywall has limits of its own', async () => {
  const { paywall } = await newTenant(world)
  const [email, network] = [newEmail(), newNetwork()]
  expect(await callConcurrently(6, () => requestCode(world, email, network))).toEqual({ sent: 5, refused: 1 })
  await until('the mails', async () => mailsTo(email) === 5)
  const elsewhere = { ...network, paywallId: paywall.id }
  parseSession(await requestTokens(world, await getGrant(world, email, elsewhere), elsewhere))
})

test('a refusal makes one statement', async () => {
  const [email, network] = [newEmail(), newNetwork()]
  await callConcurrently(5, () => requestCode(world, email, network))
  expect(await countStatements(world, () => requestCode(world, email, network))).toBe(1)
})

test('a mail is counted even while the row of its limit is being deleted', async () => {
  const [email, network] = [newEmail(), newNetwork()]
  await getGrant(world, email, network)
  const where = `name = 'network mail' and key = $1`
  const values = [networkKey(network)]
  const held = {
    hold: `select from rate_limits where ${where} for update`,
    change: `delete from rate_limits where ${where}`,
    values,
  }
  const [reply] = await runWhileLocked(world, held, [() => requestCode(world, email, network)])
  expect(reply).toMatchObject({ status: 200 })
  expect(await consumed('network mail')).toEqual([1])
})
