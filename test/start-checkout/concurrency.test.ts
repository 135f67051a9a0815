import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import {
  getPriceId,
  newEmail,
  type Opened,
  parseOpened,
  payAndReturn,
  press,
  startCheckout,
} from '../support/checkout.ts'
import { findSequenceErrors, ownerEvents } from '../support/owner-events.ts'
import { monthly, paywallFile, yearly } from '../support/paywall-file.ts'
import { raceStatements } from '../support/statement-barrier.ts'
import { until } from '../support/until.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

afterEach(() => {
  world.neon.onStatement = undefined
})

/** A checkout with a key of its own. */
async function checkout(email: string, slug = 'monthly'): Promise<Opened> {
  const headers = { 'idempotency-key': randomUUID() }
  const body = { email, priceId: getPriceId(world.paywall, slug) }
  return parseOpened(await startCheckout(world, { paywall: world.paywall, key: world.key, headers, body }))
}

const getCheckoutSession = (url: string) => world.stripe.checkoutSessions.find((session) => session.url === url)
const payable = (checkouts: Opened[]) =>
  checkouts.filter(({ checkoutUrl }) => getCheckoutSession(checkoutUrl)?.status === 'open')

test('when one user opens several checkouts at once, one page stays payable', async () => {
  for (let round = 0; round < 5; round++) {
    const email = newEmail()
    const before = world.stripe.checkoutSessions.length
    raceStatements(world, 'record_checkout', 4)
    const checkouts = await Promise.all(['monthly', 'yearly', 'monthly', 'yearly'].map((slug) => checkout(email, slug)))
    expect(new Set(checkouts.map(({ userId }) => userId)).size).toBe(1)
    await until('one payable page', async () => {
      const open = world.stripe.checkoutSessions.slice(before).filter(({ status }) => status === 'open')
      return open.length <= 1
    })
    expect(world.stripe.checkoutSessions.slice(before)).toHaveLength(4)
    // Stripe gives an expired checkout session no URL: the pages that still have one can be paid.
    expect(payable(checkouts)).toHaveLength(1)
  }
})

test.each([
  ['before the older one is closed', 3],
  ['while the older one is being closed', 5],
])('when two pages are paid at once, %s, no purchase is lost or invented', async (when, rounds) => {
  for (let round = 0; round < rounds; round++) {
    const [email, before] = [newEmail(), world.stripe.subscriptions.length]
    const paid = Promise.withResolvers<void>()
    if (when.startsWith('before')) {
      world.stripe.onCall = async ({ path }, run) => {
        if (path.endsWith('/expire')) await paid.promise
        return run()
      }
    }
    const pay = async (slug: string) => {
      const { checkoutUrl, userId } = await checkout(email, slug)
      return { userId, back: await press(checkoutUrl, 'pay') }
    }
    // If the first purchase became known before the second page is requested, that page would be refused.
    world.stripe.holdWebhooks()
    const pages = await Promise.all([pay('monthly'), pay('yearly')])
    paid.resolve()
    world.stripe.onCall = undefined
    const returns = pages.filter(({ back }) => back !== '').map(({ back }) => call(world, back))
    await Promise.all([...returns, world.stripe.sendHeldWebhooks()])
    await world.stripe.drainWebhooks()

    const bought = world.stripe.subscriptions.slice(before)
    expect(bought.length).toBeGreaterThanOrEqual(when.startsWith('before') ? 2 : 1)
    const { userId } = pages[0]!
    const { purchases } = await userState(world, userId)
    expect(purchases.map(({ status }) => status).toSorted()).toEqual(bought.map(({ status }) => status).toSorted())
    expect(new Set(purchases.map(({ interval }) => interval)).size).toBe(purchases.length)

    const events = await ownerEvents(world, userId)
    expect(findSequenceErrors(events)).toEqual([])
    expect(events.filter(({ type }) => type === 'subscription.created')).toHaveLength(bought.length)
  }
})

test('40 users who buy at once each get their own page and their own purchase', async () => {
  const paid = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const one = await checkout(newEmail())
      const { status } = await payAndReturn(world, one.checkoutUrl)
      return { ...one, status }
    }),
  )
  expect(paid.filter(({ status }) => status !== 303)).toEqual([])
  await world.stripe.drainWebhooks()
  const bought = await Promise.all(paid.map(async (one) => ({ ...one, state: await userState(world, one.userId) })))
  expect(bought.filter(({ state }) => !state.paid || state.purchases.length !== 1)).toEqual([])
  expect(new Set(bought.map(({ userId }) => userId)).size).toBe(40)
  expect(new Set(bought.map(({ state }) => state.purchases[0]?.id)).size).toBe(40)
})

test('while prices are edited repeatedly, a checkout gets its price or 404 price_not_found', async () => {
  const owner = { email: newEmail() }
  const key = world.file.keys[0]!.secret!.replace(/.{8}$/, randomUUID().slice(0, 8))
  const own = { id: `${world.paywall.id}1`, processor: world.paywall.processor }
  const file = (amount: number) =>
    paywallFile({
      owner,
      keys: [{ name: 'backend', secret: key }],
      paywall: { ...own, prices: [monthly({ amount }), yearly({ amount: amount * 10 })] },
    })
  let [paywall] = (await file(10)).paywalls
  await world.apply(await file(10))

  let editing = true
  async function edit() {
    const enough = (edits: number) => edits >= 20 && (answers.get('200') ?? 0) > 20
    for (let edits = 0; edits < 300 && !enough(edits); edits++) {
      const next = await file(11 + edits)
      await world.apply(next)
      paywall = next.paywalls[0]
    }
    editing = false
  }
  const answers = new Map<string, number>()
  async function order() {
    while (editing) {
      const slug = Math.random() < 0.5 ? 'monthly' : 'yearly'
      const body = { email: newEmail(), priceId: getPriceId(paywall!, slug) }
      const reply = await startCheckout(world, { paywall: paywall!, key, body })
      const answer = reply.status === 200 ? '200' : `${reply.status} ${(reply.body as { error: string }).error}`
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
  }
  await Promise.all([edit(), ...Array.from({ length: 12 }, order)])
  const expected = ['200', '404 price_not_found']
  expect([...answers.keys()].filter((answer) => !expected.includes(answer))).toEqual([])
  expect(answers.get('200')).toBeGreaterThan(20)
})
