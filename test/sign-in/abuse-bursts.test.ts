// Bursts of mails and guesses from one /48 network of a hosting provider, which has 65,536 /64 networks: rate limits stop the mails
// exactly, challenges stop the guesses, and nobody else is locked out.
import { expect, test } from 'vitest'
import type { Reply } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { FULL_SIZE } from '../support/full-size.ts'
import { setConsumed } from '../support/rate-limits.ts'
import {
  type CodeGrant,
  getGrant,
  parseChallenge,
  parseSession,
  requestCode,
  requestTokens,
  wrong,
} from '../support/sign-in.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ rateLimited: true })

/** How many mails a network can request in an hour. */
const MAIL_LIMIT = 100
/** How many of them the network has left. */
const MAILS_LEFT = FULL_SIZE ? MAIL_LIMIT : 20
const BURST = FULL_SIZE ? 750 : 60
/** Guesses at each code that was mailed. */
const GUESSES = 5
const AT_ONCE = 20
const TIMEOUT_MS = FULL_SIZE ? 300_000 : 120_000

/** The `index`th /64 network of one /48 network. */
const inAttackNetwork = (index: number) => ({
  headers: { 'cf-connecting-ip': `2001:db8:bad:${index.toString(16)}::1` },
})
/** A different network for each number. */
const inNetwork = (number: number) => ({ headers: { 'cf-connecting-ip': `198.51.100.${number}` } })
const elsewhere = { headers: { 'cf-connecting-ip': '192.0.2.77' } }

/** Makes `count` calls, `AT_ONCE` at a time. */
async function burst(count: number, run: (index: number) => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let start = 0; start < count; start += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - start) }, (_, index) => run(start + index))
    replies.push(...(await Promise.all(batch)))
  }
  return replies
}

/** Counts the replies by status. */
function countStatuses(replies: Reply[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

test(
  'bursts of mails and guesses from one /48 are stopped, a second burst at once, and nobody else is locked out',
  async () => {
    const neighbour = await getGrant(world, newEmail(), inAttackNetwork(0xffff))
    await setConsumed(
      world,
      'network mail',
      `network:2001:db8:bad::/48 paywall:${world.paywall.id}`,
      MAIL_LIMIT - MAILS_LEFT,
    )

    const grants: CodeGrant[] = []
    const refusedEmails = new Set<string>()
    const replies = await burst(BURST, async (index) => {
      const email = newEmail()
      const reply = await requestCode(world, email, inAttackNetwork(index))
      if (reply.status === 200)
        grants.push({ grant_type: 'code', email, code: '00000000', challenge: parseChallenge(reply) })
      else refusedEmails.add(email)
      return reply
    })
    expect(countStatuses(replies)).toEqual({ 200: MAILS_LEFT, 429: BURST - MAILS_LEFT })

    // Five guesses are compared per mailed code; all later ones are refused, even the right one.
    const guess = (index: number) =>
      requestTokens(world, wrong(grants[index % grants.length]!, index), inAttackNetwork(index))
    expect(countStatuses(await burst(2 * GUESSES * MAILS_LEFT, guess))).toEqual({ 400: 2 * GUESSES * MAILS_LEFT })
    const { rows } = await world.database.query<{ guesses: number; count: number }>(
      'select guesses, count(*)::int from sign_in_challenges where email = any ($1) group by guesses',
      [grants.map(({ email }) => email)],
    )
    expect(rows).toEqual([{ guesses: GUESSES, count: MAILS_LEFT }])
    const madeUp = await burst(AT_ONCE, (index) =>
      requestTokens(world, { ...neighbour, challenge: `${'A'.repeat(41)}${10 + index}` }, inAttackNetwork(index)),
    )
    expect(countStatuses(madeUp)).toEqual({ 400: AT_ONCE })

    const mailsAgain = await burst(AT_ONCE, (index) => requestCode(world, newEmail(), inAttackNetwork(index)))
    expect(countStatuses(mailsAgain)).toEqual({ 429: AT_ONCE })
    expect(Number(mailsAgain[0]!.headers['retry-after'])).toBeGreaterThan(0)

    parseSession(await requestTokens(world, await getGrant(world, newEmail(), elsewhere), elsewhere))
    expect(await requestTokens(world, wrong(neighbour), inAttackNetwork(0xffff))).toMatchObject({ status: 400 })
    parseSession(await requestTokens(world, neighbour, inAttackNetwork(0xffff)))
    expect(world.mail.received.filter(({ to }) => refusedEmails.has(to))).toEqual([])
  },
  TIMEOUT_MS,
)

test('after six networks have used up the mails of an address, its user can sign in with the code that it requested', async () => {
  const email = newEmail()
  const ownGrant = await getGrant(world, email, elsewhere)
  const strangers: CodeGrant[] = []
  for (let network = 10; network < 16; network++) {
    for (let mail = 0; mail < 5; mail++) {
      const reply = await requestCode(world, email, inNetwork(network))
      if (reply.status === 200)
        strangers.push({ grant_type: 'code', email, code: '00000000', challenge: parseChallenge(reply) })
    }
  }
  expect(strangers).toHaveLength(29)
  expect(await requestCode(world, email, elsewhere)).toMatchObject({ status: 429 })
  // 29 challenges of five guesses each: 145 guesses at 10^8 codes are compared, and no more.
  const guesses = strangers.flatMap((grant) => Array.from({ length: 6 }, (_, by) => wrong(grant, by)))
  expect(
    countStatuses(await burst(guesses.length, (index) => requestTokens(world, guesses[index]!, inNetwork(index % 99)))),
  ).toEqual({ 400: guesses.length })
  parseSession(await requestTokens(world, ownGrant, elsewhere))
})
