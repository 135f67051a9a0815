import { randomInt, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { startCheckout } from '../support/checkout.ts'
import { advanceRefills, setConsumed } from '../support/rate-limits.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { useTestWorld } from '../support/world.ts'

// Codes of offers cannot be guessed.

const offers = [
  {
    id: 'secret',
    title: 'Secret',
    discount: { percent: 50, periods: 1 },
    prices: ['monthly'],
    code: 'TEAM-2027',
    show: 'code',
    processorDiscount: 'HALF_ONCE',
  },
]
const world = useTestWorld({ rateLimited: true, file: { webhooks: [], paywall: { offers } } })

/** A random IPv6 address; each is in the network of another customer. */
const randomAddress = () => `2001:${randomInt(0x1000, 0xffff).toString(16)}:${randomInt(0xffff).toString(16)}::1`
const newToken = async () =>
  (await signInAnonymously(world, { headers: { 'cf-connecting-ip': randomAddress() } })).token

const enter = (token: string, code: string, address = randomAddress()) =>
  startCheckout(world, {
    paywall: world.paywall,
    token,
    headers: { 'cf-connecting-ip': address, 'idempotency-key': randomUUID() },
    body: { code },
  })
const guess = (token: string, address?: string) => enter(token, `WRONG-${randomInt(1e6)}`, address)

const WRONG = { status: 400, body: { error: 'invalid_offer', reason: 'unknown' } }
const TOO_MANY = { status: 429, body: { error: 'rate_limit_exceeded' } }

test('a user gets ten guesses an hour, even at once, and then 429 with Retry-After, also for the right code', async () => {
  const token = await newToken()
  const statuses = (await Promise.all(Array.from({ length: 25 }, () => guess(token)))).map(({ status }) => status)
  expect(statuses.filter((status) => status === 400)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(15)
  const refused = await enter(token, 'TEAM-2027')
  expect(refused).toMatchObject(TOO_MANY)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  await advanceRefills(world, '1 hour')
  expect(await enter(token, 'team-2027')).toMatchObject({ status: 200 })
})

test('right codes are not counted', async () => {
  const token = await newToken()
  for (let entered = 0; entered < 9; entered++) {
    expect(await enter(token, 'TEAM-2027')).toMatchObject({ status: 200 })
  }
  for (let guessed = 0; guessed < 10; guessed++) expect(await guess(token)).toMatchObject(WRONG)
  expect(await guess(token)).toMatchObject(TOO_MANY)
})

test('the users of a network share 50 guesses', async () => {
  const address = randomAddress()
  expect(await guess(await newToken(), address)).toMatchObject(WRONG)
  const { rows } = await world.database.query<{ key: string }>(
    "select key from rate_limits where name = 'codes' and key like 'network:%' order by refilled_at desc limit 1",
  )
  await setConsumed(world, 'codes', rows[0]!.key, 50)
  expect(await guess(await newToken(), address)).toMatchObject(TOO_MANY)
  expect(await guess(await newToken())).toMatchObject(WRONG)
})

test("an owner's calls are not counted", async () => {
  for (let guessed = 0; guessed < 12; guessed++) {
    const { paywall, key } = world
    const call = {
      paywall,
      key,
      headers: { 'idempotency-key': randomUUID() },
      body: { code: 'WRONG', email: 'a@b.dev' },
    }
    expect(await startCheckout(world, call)).toMatchObject(WRONG)
  }
})

describe("on the paywall's page", () => {
  /** Submits the form of the page with a code, as a visitor with this token. */
  const enterOnPage = (token: string, code: string) =>
    world.fetch(`/p/${world.paywall.id}`, {
      method: 'POST',
      body: new URLSearchParams({ action: 'code', code }).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        'cf-connecting-ip': randomAddress(),
        cookie: `paywall_access=${token}`,
      },
      redirect: 'manual',
    })

  test('guesses count together with those of the API, and right codes do not', async () => {
    const token = await newToken()
    for (let guessed = 0; guessed < 5; guessed++) {
      expect((await enterOnPage(token, 'TEAM-2027')).status).toBe(303)
      expect((await enterOnPage(token, `WRONG-${guessed}`)).status).toBe(400)
      expect(await guess(token)).toMatchObject(WRONG)
    }
    expect(await guess(token)).toMatchObject(TOO_MANY)
    const refused = await enterOnPage(token, 'TEAM-2027')
    expect(refused.status).toBe(429)
    expect(await refused.text()).toMatch(/role="alert">Too many attempts. Please try again in \d+ minutes/)
  })

  test('the gateway has no route to what the page asks about a code', async () => {
    const path = `/api/v1/paywall/${world.paywall.id}/find-offer-by-code`
    const token = await newToken()
    expect(await call(world, path, { token, body: { code: 'TEAM-2027' } })).toMatchObject({ status: 404 })
  })
})
