// Somebody shares an IPv4 address with a stranger who uses up what is mailed there. What a network may have is refilled little by
// little, so whoever asks waits for seconds; the stranger has no more of it in a day. Wrong guesses of others hold nobody up.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { advanceRefills, setConsumed } from '../support/rate-limits.ts'
import { askForCode, askForTokens, getGrant, sessionIn, signInByMail, wrong } from '../support/sign-in.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ rateLimited: true })
})
afterAll(() => world.close())

/** How many mails a network may have at once, and after how many seconds one of them is refilled. */
const MOST = 100
const PAUSE = 36

let networks = 0
const newNetwork = () => `192.0.2.${++networks}`
const from = (network: string) => ({ headers: { 'cf-connecting-ip': network } })
const mailsTo = (email: string) => world.mail.received.filter(({ to }) => to === email)

/** All mails that a network may have are used up, since so many seconds ago. */
const useUp = (network: string, secondsAgo = 0) =>
  setConsumed(world, 'network mail', ofNetwork(network), MOST, secondsAgo)
const ofNetwork = (network: string) => `network:${network} paywall:${world.paywall.id}`
const letPass = (seconds: number) => advanceRefills(world, `${seconds} seconds`)

test('a newcomer in a network whose mails are used up is asked to wait for seconds, and then gets its code', async () => {
  const [email, network] = [newEmail(), newNetwork()]
  await useUp(network)
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
  await useUp(network, PAUSE + PAUSE / 2)
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
  await useUp(network, 24 * 3600)
  await signInByMail(world, newEmail(), from(network))
  const { rows } = await world.database.query('select consumed::int from rate_limits where key = $1 and name = $2', [
    ofNetwork(network),
    'network mail',
  ])
  expect(rows).toEqual([{ consumed: 1 }])
})

test('wrong guesses from the same network hold up nobody who types the right code, at once or after a mistake', async () => {
  const network = newNetwork()
  const [mine, others] = [
    await getGrant(world, newEmail(), from(network)),
    await getGrant(world, newEmail(), from(network)),
  ]
  await Promise.all(Array.from({ length: 150 }, (_, by) => askForTokens(world, wrong(others, by + 1), from(network))))
  expect(await askForTokens(world, wrong(mine), from(network))).toMatchObject({ status: 400 })
  sessionIn(await askForTokens(world, mine, from(network)))
})

test('whoever asks again and again where nothing is left has nothing mailed to strangers, nor used up for them', async () => {
  const network = newNetwork()
  const emails = Array.from({ length: 5 }, newEmail)
  await useUp(network)
  const replies = await Promise.all(
    emails.flatMap((email) => Array.from({ length: 8 }, () => askForCode(world, email, from(network)))),
  )
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([429]))
  await letPass(5 * PAUSE)
  for (const email of emails) await signInByMail(world, email, from(network))
  expect(emails.map((email) => mailsTo(email).length)).toEqual(Array(5).fill(1))
})
