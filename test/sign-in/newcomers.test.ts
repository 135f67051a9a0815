// A new user shares an IPv4 address with a stranger who uses up its mails. The limit is refilled gradually, so the new user waits for
// seconds, and the stranger gets no more mails in a day. Wrong guesses of others delay nobody.
import { expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { advanceRefills, setConsumed } from '../support/rate-limits.ts'
import { getGrant, parseSession, requestCode, requestTokens, signInByMail, wrong } from '../support/sign-in.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ rateLimited: true })

/** The mail limit of a network, and the seconds after which one mail is refilled. */
const MAIL_LIMIT = 100
const REFILL_SECONDS = 36

let networks = 0
const newNetwork = () => `192.0.2.${++networks}`
const from = (network: string) => ({ headers: { 'cf-connecting-ip': network } })
const mailsTo = (email: string) => world.mail.received.filter(({ to }) => to === email)

/** Uses up the mail limit of a network, as of some seconds ago. */
const useUp = (network: string, secondsAgo = 0) =>
  setConsumed(world, 'network mail', limitKey(network), MAIL_LIMIT, secondsAgo)
const limitKey = (network: string) => `network:${network} paywall:${world.paywall.id}`
const advance = (seconds: number) => advanceRefills(world, `${seconds} seconds`)

test('a new user in a network without mails left gets 429 with Retry-After in seconds, and then its code', async () => {
  const [email, network] = [newEmail(), newNetwork()]
  await useUp(network)
  const refused = await requestCode(world, email, from(network))
  expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limit_exceeded' } })
  const wait = Number(refused.headers['retry-after'])
  expect(wait).toBeGreaterThan(REFILL_SECONDS - 10)
  expect(wait).toBeLessThanOrEqual(REFILL_SECONDS)
  await advance(wait)
  expect((await signInByMail(world, email, from(network))).user).toMatchObject({ email })
})

test('mails are refilled one at a time and never early, whoever requests them', async () => {
  const network = newNetwork()
  const requestCodes = () =>
    Promise.all(Array.from({ length: 10 }, () => requestCode(world, newEmail(), from(network))))
  const sent = async () => (await requestCodes()).filter(({ status }) => status === 200).length
  await useUp(network, REFILL_SECONDS + REFILL_SECONDS / 2)
  expect(await sent()).toBe(1)
  await advance(REFILL_SECONDS / 4)
  expect(await sent()).toBe(0)
  await advance(REFILL_SECONDS / 4)
  expect(await sent()).toBe(1)
  await advance(5 * REFILL_SECONDS)
  expect(await sent()).toBe(5)
})

test('an idle network does not accumulate more than its limit', async () => {
  const network = newNetwork()
  await useUp(network, 24 * 3600)
  await signInByMail(world, newEmail(), from(network))
  const { rows } = await world.database.query('select consumed::int from rate_limits where key = $1 and name = $2', [
    limitKey(network),
    'network mail',
  ])
  expect(rows).toEqual([{ consumed: 1 }])
})

test('wrong guesses from the same network do not block the right code of another user, even after a mistake', async () => {
  const network = newNetwork()
  const [ownGrant, otherGrant] = [
    await getGrant(world, newEmail(), from(network)),
    await getGrant(world, newEmail(), from(network)),
  ]
  await Promise.all(
    Array.from({ length: 150 }, (_, by) => requestTokens(world, wrong(otherGrant, by + 1), from(network))),
  )
  expect(await requestTokens(world, wrong(ownGrant), from(network))).toMatchObject({ status: 400 })
  parseSession(await requestTokens(world, ownGrant, from(network)))
})

test('repeated calls from a network without mails left send no mail, and use up no limit of the addresses', async () => {
  const network = newNetwork()
  const emails = Array.from({ length: 5 }, newEmail)
  await useUp(network)
  const replies = await Promise.all(
    emails.flatMap((email) => Array.from({ length: 8 }, () => requestCode(world, email, from(network)))),
  )
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([429]))
  await advance(5 * REFILL_SECONDS)
  for (const email of emails) await signInByMail(world, email, from(network))
  expect(emails.map((email) => mailsTo(email).length)).toEqual(Array(5).fill(1))
})
