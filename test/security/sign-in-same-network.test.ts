// A stranger in a user's own network uses up the mails that a network or the paywall has. The user signs in all the same, in that
// network, and nobody learns which addresses are users'.
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { anonymousBuyer, payOnPage } from '../support/anonymous.ts'
import { setTaken } from '../support/budgets.ts'
import { call, type Reply } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { askForCode, askForTokens, sessionIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ rateLimited: true })
})
afterAll(() => world.close())

let networks = 0
/** A network from which nobody has called yet. */
const newNetwork = () => `192.0.2.${++networks}`
const from = (network: string) => ({ headers: { 'cf-connecting-ip': network } })

const take = (what: string, who: string, taken: number) => setTaken(world, what, who, taken)
const useUpNetwork = (network: string) => take('mail', `network:${network}`, 100)
const useUpPaywall = () => take('mail', `paywall:${world.paywall.id}`, 5000)

/** What was decided before is so long ago. */
const letPass = (minutes: number) =>
  world.database.query(
    `update budgets set window_start = window_start - interval '${minutes} minutes' where what <> 'mail';
     update mailed_codes set expires_at = expires_at - interval '${minutes} minutes'`,
  )

const LONG_CODE = /\b\d{6} \d{6} \d{6}\b/
const mailsTo = (email: string) => world.mail.received.filter(({ to }) => to === email)

/** The `count`th mail to an address, and its long code. */
async function longMailTo(email: string, count = 1): Promise<{ code: string; text: string }> {
  const { text } = await until(`${count} mails`, async () => mailsTo(email)[count - 1])
  return { code: LONG_CODE.exec(text)?.[0] ?? `no long code in ${text}`, text }
}

const Refusal = z.strictObject({
  error: z.literal('rate_limit_exceeded'),
  message: z.string().regex(/a code that works in every network/),
  request: z.string().regex(/^[\w-]{43}$/),
})

/** The `request` of an answer that refuses a mail. */
function requestOf(reply: Reply): string {
  expect(reply).toMatchObject({ status: 429 })
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  return Refusal.parse(reply.body).request
}

/** Asks for a code where none is left to be mailed, and signs in by the mail that comes all the same. */
async function signInRefused(email: string, network: string, count = 1) {
  const request = requestOf(await askForCode(world, email, from(network)))
  const { code } = await longMailTo(email, count)
  return sessionIn(await askForTokens(world, { grant_type: 'code', email, code, request }, from(network)))
}

test('a neighbour who uses up the five mails of a network for a user keeps it from nothing', async () => {
  const { email, id } = await signIn(world)
  const network = newNetwork()
  const asked = await Promise.all(Array.from({ length: 5 }, () => askForCode(world, email, from(network))))
  expect(asked.map(({ status }) => status)).toEqual(Array(5).fill(200))
  await until('five mails', async () => mailsTo(email).length === 5)
  const { user } = await signInRefused(email, network, 6)
  expect(user).toMatchObject({ email, id })
})

test('nor does one who uses up the 100 mails of the network', async () => {
  const { email, id } = await signIn(world)
  const network = newNetwork()
  await useUpNetwork(network)
  expect((await signInRefused(email, network)).user.id).toBe(id)
  // And again: a code that was used is no reason to mail no other.
  expect((await signInRefused(email, network, 2)).user.id).toBe(id)
})

test('nor do strangers anywhere and a neighbour, with every budget that there is', async () => {
  const { email, id } = await signIn(world)
  const network = newNetwork()
  await useUpPaywall()
  const asked = []
  for (let mail = 0; mail < 4; mail++) asked.push((await askForCode(world, newEmail(), from(network))).status)
  expect(asked).toEqual([200, 200, 200, 429])
  await useUpNetwork(network)
  await take('guess', `network:${network}`, 100)
  await take('guess', `paywall:${world.paywall.id}`, 1000)
  const wrong = { grant_type: 'code', email, code: '123456 123456 123456', request: 'any' }
  expect(await askForTokens(world, wrong, from(network))).toMatchObject({ status: 429 })
  expect((await signInRefused(email, network)).user.id).toBe(id)
  await world.database.query('delete from budgets where who = $1', [`paywall:${world.paywall.id}`])
})

test('an anonymous buyer gets its purchase back in such a network, too', async () => {
  const email = newEmail()
  const buyer = await anonymousBuyer(world)
  await call(world, await payOnPage(buyer.checkoutUrl, email))
  await world.stripe.drainWebhooks()
  const network = newNetwork()
  await useUpNetwork(network)
  const { user } = await signInRefused(email, network)
  expect(user).toMatchObject({ email })
  expect((await longMailTo(email)).text).toContain('was bought on Test Paywall with this address')
})

test('nothing that is answered or written tells an address that has a user from one that has none', async () => {
  const network = newNetwork()
  await useUpNetwork(network)
  const { email: known } = await signIn(world)
  const unknown = newEmail()
  const replies = []
  for (const email of [known, unknown, known, unknown]) replies.push(await askForCode(world, email, from(network)))
  const comparable = replies.map((reply) => {
    const { 'x-request-id': _, date: __, 'retry-after': wait, ...headers } = reply.headers
    return {
      headers,
      body: { ...Refusal.parse(reply.body), request: requestOf(reply).length },
      hasWait: wait !== undefined,
    }
  })
  expect(comparable).toEqual(Array(4).fill(comparable[0]))
  const { rows } = await world.database.query(
    'select email, request_hash = code_hash as is_long from mailed_codes where email = any ($1) order by email',
    [[known, unknown]],
  )
  expect(rows).toEqual([known, unknown].sort().map((email) => ({ email, is_long: true })))
  await longMailTo(known)
  expect([known, unknown].map((email) => mailsTo(email).length)).toEqual([1, 0])
})

test('however many calls there are, a user gets one such mail in ten minutes, and always has a code that is good for ten more', async () => {
  const { email } = await signIn(world)
  const network = newNetwork()
  await useUpNetwork(network)
  const asked = await Promise.all(Array.from({ length: 40 }, () => askForCode(world, email, from(network))))
  asked.forEach(requestOf)
  const { code, text } = await longMailTo(email)
  expect(text).toContain('20 minutes')
  await letPass(9.9)
  requestOf(await askForCode(world, email, from(network)))
  await letPass(0.2)
  requestOf(await askForCode(world, email, from(network)))
  await longMailTo(email, 2)
  await letPass(9.8)
  sessionIn(await askForTokens(world, { grant_type: 'code', email, code, request: 'any' }, from(network)))
  expect(mailsTo(email)).toHaveLength(2)
})

test('after six such mails in a day they come every six hours, and hold for twelve', async () => {
  const { email } = await signIn(world)
  const network = newNetwork()
  await useUpNetwork(network)
  const ask = async (count: number) => {
    requestOf(await askForCode(world, email, from(network)))
    return longMailTo(email, count)
  }
  for (let mail = 1; mail <= 6; mail++) {
    await ask(mail)
    await letPass(10)
  }
  const { code, text } = await ask(7)
  expect(text).toContain('12 hours')
  for (let hour = 0; hour < 5; hour++) {
    await letPass(60)
    requestOf(await askForCode(world, email, from(network)))
  }
  await letPass(60)
  await ask(8)
  await letPass(300)
  sessionIn(await askForTokens(world, { grant_type: 'code', email, code, request: 'any' }, from(network)))
  await ask(9)
  expect(mailsTo(email)).toHaveLength(9)
})
