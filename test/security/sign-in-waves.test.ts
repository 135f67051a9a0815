// Waves of mails and guesses from one network of a hoster, which has 65,536 networks of the size that a household has: budgets
// stop them, exactly, and nobody else is locked out.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setTaken } from '../support/budgets.ts'
import type { Reply } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { FULL_SIZE } from '../support/full-size.ts'
import { askForCode, askForTokens, type CodeGrant, getGrant, requestIn, sessionIn, wrong } from '../support/sign-in.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ rateLimited: true })
})
afterAll(() => world.close())

/** How many mails a network gets in an hour, and how many wrong guesses. */
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

/** So much of a budget is left. */
const takeAllBut = (left: number, what: string, who: string, most: number) => setTaken(world, what, who, most - left)

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
    const mistyped = await getGrant(world, newEmail(), inWave(0xfffe))
    await takeAllBut(LEFT, 'mail', 'network:2001:db8:bad::/48', SHARE)
    await takeAllBut(LEFT, 'guess', 'network:2001:db8:bad::/48', SHARE)

    const grants: CodeGrant[] = []
    const refusedEmails = new Set<string>()
    const asked = await wave(WAVE, async (index) => {
      const email = newEmail()
      const reply = await askForCode(world, email, inWave(index))
      if (reply.status === 200) grants.push({ grant_type: 'code', email, code: '000000', request: requestIn(reply) })
      else refusedEmails.add(email)
      return reply
    })
    expect(statuses(asked)).toEqual({ 200: LEFT, 429: WAVE - LEFT })

    // Of the guesses at each code the first is compared in any case, and of the rest what the budget still has.
    const guess = (index: number) => {
      const grant = wrong(grants[index % grants.length]!, index)
      return askForTokens(world, grant, inWave(index))
    }
    const guessed = statuses(await wave(GUESSES * LEFT, guess))
    expect(guessed).toEqual({ 400: LEFT, 429: (GUESSES - 1) * LEFT })
    const madeUp = await wave(AT_ONCE, (index) => {
      return askForTokens(world, { ...neighbour, request: `${'A'.repeat(41)}${10 + index}` }, inWave(index))
    })

    const mailsAgain = await wave(AT_ONCE, (index) => askForCode(world, newEmail(), inWave(index)))
    const guessedAgain = await wave(AT_ONCE, guess)
    const refused = [madeUp, mailsAgain, guessedAgain]
    expect(refused.map(statuses)).toEqual([{ 429: AT_ONCE }, { 429: AT_ONCE }, { 429: AT_ONCE }])
    for (const [first] of refused) {
      const { headers, body } = first!
      expect(body).toMatchObject({ error: 'rate_limit_exceeded' })
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }

    sessionIn(await askForTokens(world, await getGrant(world, newEmail(), elsewhere), elsewhere))
    sessionIn(await askForTokens(world, neighbour, inWave(0xffff)))
    expect(await askForTokens(world, wrong(mistyped), inWave(0xfffe))).toMatchObject({ status: 400 })
    expect(await askForTokens(world, mistyped, inWave(0xfffe))).toMatchObject({ status: 429 })
    sessionIn(await askForTokens(world, mistyped, elsewhere))
    expect(world.mail.received.filter(({ to }) => refusedEmails.has(to))).toEqual([])
  },
  TIMEOUT_MS,
)

/** The window of a budget ends: it was an hour long. */
const endWindow = (what: string, who: string) =>
  world.database.query(
    "update budgets set window_start = window_start - interval '2 hours' where what = $1 and who = $2",
    [what, who],
  )

/** A budget is used up but for one. */
const allButOne = (what: string, who: string, most: number) => takeAllBut(1, what, who, most)

test('a paywall mails 5,000 codes an hour, however many networks ask, and then three to each network', async () => {
  const who = `paywall:${world.paywall.id}`
  await allButOne('mail', who, 5000)
  expect(await askForCode(world, newEmail(), inNetwork(1))).toMatchObject({ status: 200 })
  const asked = []
  for (let mail = 0; mail < 4; mail++) asked.push((await askForCode(world, newEmail(), inNetwork(2))).status)
  expect(asked).toEqual([200, 200, 200, 429])
  sessionIn(await askForTokens(world, await getGrant(world, newEmail(), inNetwork(20)), inNetwork(20)))
  await endWindow('mail', who)
  expect(await askForCode(world, newEmail(), inNetwork(2))).toMatchObject({ status: 200 })
})

test('a paywall on which 1,000 guesses were wrong within an hour still lets in whoever types the right code', async () => {
  const who = `paywall:${world.paywall.id}`
  const grants = [await getGrant(world, newEmail(), inNetwork(3)), await getGrant(world, newEmail(), inNetwork(4))]
  await allButOne('guess', who, 1000)
  expect(await askForTokens(world, wrong(grants[0]!), inNetwork(3))).toMatchObject({ status: 400 })
  expect(await askForTokens(world, wrong(grants[0]!, 2), inNetwork(3))).toMatchObject({ status: 429 })
  sessionIn(await askForTokens(world, grants[1]!, inNetwork(4)))
  await endWindow('guess', who)
})

test('an address is mailed 30 short codes an hour, and after 50 wrong guesses in a day each has one try', async () => {
  const email = newEmail()
  const grants: CodeGrant[] = []
  for (let network = 10; network < 16; network++) {
    for (let mail = 0; mail < 5; mail++) grants.push(await getGrant(world, email, inNetwork(network)))
  }
  // What then comes instead is in sign-in-long-code.test.ts.
  expect(await askForCode(world, email, inNetwork(16))).toMatchObject({ status: 200 })
  expect((await world.mail.waitFor(email, { count: 31 })).text).toMatch(/\b\d{6} \d{6} \d{6}\b/)

  const guesses = grants
    .slice(0, 20)
    .flatMap((grant, index) =>
      [1, 2, 3].map((by) => askForTokens(world, wrong(grant, by), inNetwork(10 + (index % 6)))),
    )
  const { 400: compared = 0, ...others } = statuses(await Promise.all(guesses))
  expect(compared).toBeGreaterThanOrEqual(50)
  expect(others).toEqual({ 429: 60 - compared })
  const [last, before] = [grants.pop()!, grants.pop()!]
  expect(await askForTokens(world, wrong(last), inNetwork(15))).toMatchObject({ status: 400 })
  const refused = await askForTokens(world, last, inNetwork(15))
  expect(refused).toMatchObject({ status: 429 })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(80_000)
  sessionIn(await askForTokens(world, before, inNetwork(15)))
})
