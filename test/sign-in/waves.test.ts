// Waves of mails and guesses from one network of a hoster, which has 65,536 networks of the size that a household has: rate limits
// stop the mails, exactly, the challenges stop the guesses, and nobody else is locked out.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reply } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { FULL_SIZE } from '../support/full-size.ts'
import { setConsumed } from '../support/rate-limits.ts'
import {
  askForCode,
  askForTokens,
  type CodeGrant,
  challengeIn,
  getGrant,
  sessionIn,
  wrong,
} from '../support/sign-in.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ rateLimited: true })
})
afterAll(() => world.close())

/** How many mails a network gets in an hour. */
const SHARE = 100
/** How much of its share the network still has. */
const LEFT = FULL_SIZE ? SHARE : 20
const WAVE = FULL_SIZE ? 750 : 60
/** Guesses at each code that was mailed. */
const GUESSES = 5
const AT_ONCE = 20
const TIMEOUT_MS = FULL_SIZE ? 300_000 : 120_000

/** The `index`th /64 network of one /48 network. */
const inWave = (index: number) => ({ headers: { 'cf-connecting-ip': `2001:db8:bad:${index.toString(16)}::1` } })
/** Another network for each number. */
const inNetwork = (number: number) => ({ headers: { 'cf-connecting-ip': `198.51.100.${number}` } })
const elsewhere = { headers: { 'cf-connecting-ip': '192.0.2.77' } }

/** That many calls, some at the same time. */
async function wave(count: number, run: (index: number) => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let start = 0; start < count; start += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - start) }, (_, index) => run(start + index))
    replies.push(...(await Promise.all(some)))
  }
  return replies
}

/** How many were answered with each status. */
function statuses(replies: Reply[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

test(
  'waves of mails and guesses from one /48 are stopped, the second at once, and nobody is locked out by them',
  async () => {
    const neighbour = await getGrant(world, newEmail(), inWave(0xffff))
    await setConsumed(world, 'network mail', `network:2001:db8:bad::/48 paywall:${world.paywall.id}`, SHARE - LEFT)

    const grants: CodeGrant[] = []
    const refusedEmails = new Set<string>()
    const asked = await wave(WAVE, async (index) => {
      const email = newEmail()
      const reply = await askForCode(world, email, inWave(index))
      if (reply.status === 200)
        grants.push({ grant_type: 'code', email, code: '00000000', challenge: challengeIn(reply) })
      else refusedEmails.add(email)
      return reply
    })
    expect(statuses(asked)).toEqual({ 200: LEFT, 429: WAVE - LEFT })

    // At each code that was mailed five are compared; whatever comes after is worth nothing, the right one included.
    const guess = (index: number) => askForTokens(world, wrong(grants[index % grants.length]!, index), inWave(index))
    expect(statuses(await wave(2 * GUESSES * LEFT, guess))).toEqual({ 400: 2 * GUESSES * LEFT })
    const { rows } = await world.database.query<{ guesses: number; count: number }>(
      'select guesses, count(*)::int from sign_in_challenges where email = any ($1) group by guesses',
      [grants.map(({ email }) => email)],
    )
    expect(rows).toEqual([{ guesses: GUESSES, count: LEFT }])
    const madeUp = await wave(AT_ONCE, (index) =>
      askForTokens(world, { ...neighbour, challenge: `${'A'.repeat(41)}${10 + index}` }, inWave(index)),
    )
    expect(statuses(madeUp)).toEqual({ 400: AT_ONCE })

    const mailsAgain = await wave(AT_ONCE, (index) => askForCode(world, newEmail(), inWave(index)))
    expect(statuses(mailsAgain)).toEqual({ 429: AT_ONCE })
    expect(Number(mailsAgain[0]!.headers['retry-after'])).toBeGreaterThan(0)

    sessionIn(await askForTokens(world, await getGrant(world, newEmail(), elsewhere), elsewhere))
    expect(await askForTokens(world, wrong(neighbour), inWave(0xffff))).toMatchObject({ status: 400 })
    sessionIn(await askForTokens(world, neighbour, inWave(0xffff)))
    expect(world.mail.received.filter(({ to }) => refusedEmails.has(to))).toEqual([])
  },
  TIMEOUT_MS,
)

test('six networks use up the mails of an address, and its user is let in by each code that was mailed to its own calls', async () => {
  const email = newEmail()
  const mine = await getGrant(world, email, elsewhere)
  const strangers: CodeGrant[] = []
  for (let network = 10; network < 16; network++) {
    for (let mail = 0; mail < 5; mail++) {
      const reply = await askForCode(world, email, inNetwork(network))
      if (reply.status === 200)
        strangers.push({ grant_type: 'code', email, code: '00000000', challenge: challengeIn(reply) })
    }
  }
  expect(strangers).toHaveLength(29)
  expect(await askForCode(world, email, elsewhere)).toMatchObject({ status: 429 })
  // 29 challenges of five guesses each: 145 guesses at 10^8, and the 146th is compared to nothing.
  const guesses = strangers.flatMap((grant) => Array.from({ length: 6 }, (_, by) => wrong(grant, by)))
  expect(
    statuses(await wave(guesses.length, (index) => askForTokens(world, guesses[index]!, inNetwork(index % 99)))),
  ).toEqual({ 400: guesses.length })
  sessionIn(await askForTokens(world, mine, elsewhere))
})
