// Somebody whose address nobody knows here shares an IPv4 address with a stranger who uses up what is mailed and guessed there. What a
// network may have comes back little by little, so the newcomer waits for seconds; the stranger has no more of it in a day.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setTaken } from '../support/budgets.ts'
import { newEmail } from '../support/checkout.ts'
import { askForCode, askForTokens, getGrant, sessionIn, signInByMail, wrong } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ rateLimited: true })
})
afterAll(() => world.close())

/** What a network may have at once, of mails and of wrong guesses, and after how many seconds one of them is back. */
const MOST = 100
const PAUSE = 36

let networks = 0
const newNetwork = () => `192.0.2.${++networks}`
const from = (network: string) => ({ headers: { 'cf-connecting-ip': network } })
const mailsTo = (email: string) => world.mail.received.filter(({ to }) => to === email)

/** All that a network may have of something is used up, since so many seconds ago. */
const useUp = (what: 'mail' | 'guess', network: string, secondsAgo = 0) =>
  setTaken(world, what, `network:${network}`, MOST, secondsAgo)
const letPass = (seconds: number) =>
  world.database.query(
    "update budgets set window_start = window_start - make_interval(secs => $1) where who like 'network:%'",
    [seconds],
  )

test('a newcomer in a network whose mails are used up is told to wait for seconds, and then gets its code', async () => {
  const [email, network] = [newEmail(), newNetwork()]
  await useUp('mail', network)
  const refused = await askForCode(world, email, from(network))
  expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limit_exceeded' } })
  const wait = Number(refused.headers['retry-after'])
  expect(wait).toBeGreaterThan(PAUSE - 10)
  expect(wait).toBeLessThanOrEqual(PAUSE)
  await letPass(wait)
  expect((await signInByMail(world, email, from(network))).user).toMatchObject({ email })
})

test('mails come back one by one and not before their time, whoever asks for them', async () => {
  const network = newNetwork()
  const ask = () => Promise.all(Array.from({ length: 10 }, () => askForCode(world, newEmail(), from(network))))
  const sent = async () => (await ask()).filter(({ status }) => status === 200).length
  await useUp('mail', network, PAUSE + PAUSE / 2)
  expect(await sent()).toBe(1)
  await letPass(PAUSE / 4)
  expect(await sent()).toBe(0)
  await letPass(PAUSE / 4)
  expect(await sent()).toBe(1)
  await letPass(5 * PAUSE)
  expect(await sent()).toBe(5)
})

test('a network that has rested for hours has no more than what it may have at once', async () => {
  const network = newNetwork()
  await useUp('mail', network, 24 * 3600)
  await signInByMail(world, newEmail(), from(network))
  const { rows } = await world.database.query("select taken::int from budgets where what = 'mail' and who = $1", [
    `network:${network}`,
  ])
  expect(rows).toEqual([{ taken: 1 }])
})

test('who has mistyped where others have used up all wrong guesses waits for seconds, too', async () => {
  const network = newNetwork()
  const grant = await getGrant(world, newEmail(), from(network))
  await useUp('guess', network)
  expect(await askForTokens(world, wrong(grant), from(network))).toMatchObject({ status: 400 })
  const refused = await askForTokens(world, wrong(grant, 2), from(network))
  expect(refused).toMatchObject({ status: 429 })
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(PAUSE)
  await letPass(PAUSE)
  sessionIn(await askForTokens(world, grant, from(network)))
})

test('a stranger who has five mails sent to a newcomer keeps it from nothing in the same network', async () => {
  const [email, network] = [newEmail(), newNetwork()]
  for (let mail = 1; mail <= 5; mail++) {
    expect(await askForCode(world, email, from(network))).toMatchObject({ status: 200 })
  }
  const refused = await askForCode(world, email, from(network))
  expect(refused).toMatchObject({ status: 429 })
  const { text } = await until('a sixth mail', async () => mailsTo(email)[5])
  const code = /\b\d{6} \d{6} \d{6}\b/.exec(text)?.[0]
  const grant = { grant_type: 'code', email, code, request: 'any' }
  expect(sessionIn(await askForTokens(world, grant, from(network))).user).toMatchObject({ email })
})

test('but whoever asks again and again where nothing is left has nothing mailed to strangers, nor used up for them', async () => {
  const network = newNetwork()
  const emails = Array.from({ length: 5 }, newEmail)
  await useUp('mail', network)
  const replies = await Promise.all(
    emails.flatMap((email) => Array.from({ length: 8 }, () => askForCode(world, email, from(network)))),
  )
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([429]))
  await letPass(5 * PAUSE)
  for (const email of emails) await signInByMail(world, email, from(network))
  expect(emails.map((email) => mailsTo(email).length)).toEqual(Array(5).fill(1))
})
