import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import type { HttpResponse } from '../../dev/emulators/core/server.ts'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { setDiscounts } from '../conformance/drivers/set-up.ts'
import { paywallAt } from '../conformance/shop.ts'
import { call } from '../support/call.ts'
import { getPriceId, newEmail } from '../support/checkout.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { raceStatements } from '../support/statement-barrier.ts'
import { cancelAsUser, type Subscriber, subscribe } from '../support/subscriber.ts'
import type { Tenant } from '../support/tenants.ts'
import { until } from '../support/until.ts'
import { type TestWorld, useTestWorld } from '../support/world.ts'

// The offer to stay: the cancel page takes it off a subscription that runs, at each processor that can.

const DISCOUNTS = {
  stripe: { half: 'HALF_FOR_2', last: 'LAST_HALF_FOR_2', other: 'TENTH' },
  chargebee: { half: 'HALF_FOR_2', last: 'LAST_HALF_FOR_2', other: 'TENTH' },
  polar: {
    half: '7c1f0f5e-2c55-4f0e-9a4e-2f6f0b7a9001',
    last: '7c1f0f5e-2c55-4f0e-9a4e-2f6f0b7a9003',
    other: '7c1f0f5e-2c55-4f0e-9a4e-2f6f0b7a9002',
  },
  freemius: { half: 'NEXT_HALF', last: 'LAST_NEXT_HALF', other: 'TENTH' },
} as const
const PROCESSORS = ['stripe', 'polar', 'chargebee', 'mollie', 'freemius'] as const
type Name = (typeof PROCESSORS)[number]

/** Without discounts of its own, a processor is asked for less. */
const discountsAt = (name: Name): Partial<Record<'half' | 'last' | 'other', string>> =>
  name === 'mollie' ? {} : DISCOUNTS[name]

/** One processor reduces one payment, or all. */
const periodsAt = (name: Name) => (name === 'freemius' ? 1 : 2)

const offers = ({ half, last, other }: ReturnType<typeof discountsAt>, periods: number) => [
  {
    id: 'stay',
    title: 'Stay for half',
    discount: { percent: 50, periods },
    prices: ['monthly'],
    show: 'cancel',
    processorDiscount: half,
  },
  {
    id: 'last',
    title: 'Only one',
    discount: { percent: 50, periods },
    prices: ['plus'],
    show: 'cancel',
    max: 1,
    processorDiscount: last,
  },
  {
    id: 'sale',
    title: 'Sale',
    discount: { percent: 10, periods: 'forever' },
    prices: ['monthly'],
    processorDiscount: other,
  },
]

/** A payment in minor units. */
interface Charge {
  amount: number
  /** What was taken off; null: the processor does not report it. */
  discount: number | null
}
/** A period at half the price, and one at the price. */
const REDUCED: Charge = { amount: 499, discount: 500 }
const FULL: Charge = { amount: 999, discount: 0 }

const world = useTestWorld({
  file: {
    paywalls: PROCESSORS.map((name) => ({ ...paywallAt(name), offers: offers(discountsAt(name), periodsAt(name)) })),
  },
})

afterEach(() => {
  for (const name of PROCESSORS) world[name].onCall = undefined
  world.neon.onStatement = undefined
})

describe.each(PROCESSORS)('at %s', (name: Name) => {
  let shop: Tenant
  const periods = periodsAt(name)
  const shownAs = `4.99 ${periods} stay`
  /** All of them have the controls that the tests use. */
  const emulator = () => world[name] as TestWorld['stripe']

  beforeAll(() => {
    const paywall = world.file.paywalls.find(({ processor }) => processor.acquiring === name)!
    shop = { file: world.file, paywall, key: world.key }
  })

  async function newSubscriber(slug = 'monthly'): Promise<Subscriber> {
    const subscriber = await subscribe(world, shop, slug)
    await emulator().drainWebhooks()
    return subscriber
  }

  const page = (purchaseId: string) => `/p/${shop.paywall.id}/account/cancel?purchase=${purchaseId}`
  const cookie = ({ token }: Subscriber) => `paywall_access=${token}`
  async function readPage(subscriber: Subscriber): Promise<string> {
    return (await world.fetch(page(subscriber.purchaseId), { headers: { cookie: cookie(subscriber) } })).text()
  }

  /** What the page repeats of the offer that it shows. */
  const shownOffer = (html: string) => /name="offer" value="([^"]*)"/.exec(html)?.[1] ?? null

  async function accept(subscriber: Subscriber, shown = shownAs) {
    const body = { action: 'stay', purchase: subscriber.purchaseId, offer: shown }
    const response = await world.fetch(page(subscriber.purchaseId), {
      method: 'POST',
      body: new URLSearchParams(body).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        cookie: cookie(subscriber),
      },
      redirect: 'manual',
    })
    return { status: response.status, html: await response.text() }
  }

  /** The subscription's payments after so many renewals: what was charged, and what had been taken off. The lowest come first. */
  async function charges({ subscriptionId, purchaseId }: Subscriber, renewals: number): Promise<Charge[]> {
    for (let renewal = 0; renewal < renewals; renewal++) {
      await emulator().renew(toRenewable(subscriptionId))
      await emulator().drainWebhooks()
    }
    const { rows } = await world.database.query<Charge>(
      "select amount::int, discount::int from payments where purchase_id = $1 and kind = 'succeeded' order by amount, id",
      [purchaseId],
    )
    return rows
  }

  /** At Mollie a purchase is known by its first payment, which its subscription names, and at Freemius by its licence. */
  function toRenewable(id: string): string {
    if (name === 'freemius') return world.freemius.records.pages.get(id)?.subscription ?? ''
    if (name !== 'mollie') return id
    return [...world.mollie.records.subscriptions.values()].find(({ own }) => JSON.stringify(own).includes(id))!.id
  }

  /** The same if half is taken off the next periods. */
  const expected = (renewals: number) =>
    Array.from({ length: renewals + 1 }, (_, index) => (index < periods ? REDUCED : FULL))

  async function uses({ purchaseId }: Subscriber): Promise<string[]> {
    const { rows } = await world.database.query<{ state: string }>(
      `select u.offer_id || case when u.paid_at is null then ' reserved' else ' taken' end as state
       from offer_uses u join purchases p on p.checkout_id = u.checkout_id where p.id = $1`,
      [purchaseId],
    )
    return rows.map(({ state }) => state)
  }

  /** Counts the calls that give a discount. */
  function countDiscounts(fail?: 'before' | 'after') {
    const counted = { calls: 0 }
    emulator().onCall = async ({ method, body }, run) => {
      if (method === 'GET' || !/discount|coupon_id|reduction/.test(JSON.stringify(body ?? ''))) return run()
      counted.calls += 1
      if (fail === 'before') throw new DroppedCall()
      const reply = await run()
      if (fail === 'after') throw new DroppedCall()
      return reply
    }
    return counted
  }

  test('a subscriber who accepts keeps the subscription, for half of the next two periods, once', async () => {
    const subscriber = await newSubscriber()
    const html = await readPage(subscriber)
    expect(html).toMatch(/Stay for half.*Regular price: <\/span><s>\$9.99.*\$4.99/s)
    expect(html).toMatch(/you pay \$4.99 .*\$9.99 per month, until you cancel/)
    expect(shownOffer(html)).toBe(shownAs)
    const accepted = await accept(subscriber)
    expect(accepted).toMatchObject({ status: 200, html: expect.stringContaining('nothing was cancelled') })
    expect(await uses(subscriber)).toEqual(['stay taken'])
    expect(shownOffer(await readPage(subscriber))).toBeNull()
    expect(await charges(subscriber, 4)).toEqual(expected(4))
    const payments = (await ownerEvents(world, subscriber.id)).filter(({ type }) => type === 'payment.succeeded')
    const [, renewal] = payments.toSorted((one, other) => one.data.sequence - other.data.sequence)
    expect(renewal?.data.payment).toMatchObject(REDUCED)
    const [purchase] = (
      await world.database.query('select status, cancel_at_period_end, unit_amount from purchases where id = $1', [
        subscriber.purchaseId,
      ])
    ).rows
    expect(purchase).toEqual({ status: 'active', cancel_at_period_end: false, unit_amount: '999' })
  })

  test('a form that is sent ten times at once gives one discount', async () => {
    const subscriber = await newSubscriber()
    raceStatements(world, 'claim_stay_offer', 10)
    const sent = await Promise.all(Array.from({ length: 10 }, () => accept(subscriber)))
    expect(sent.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(await uses(subscriber)).toEqual(['stay taken'])
    expect(await charges(subscriber, 3)).toEqual(expected(3))
  })

  test.each(['before', 'after'] as const)(
    'a retry repairs a call whose response was lost %s it took effect',
    async (when) => {
      const subscriber = await newSubscriber()
      countDiscounts(when)
      expect((await accept(subscriber)).status).toBe(502)
      expect(await uses(subscriber)).toEqual(['stay reserved'])
      const counted = countDiscounts()
      expect(shownOffer(await readPage(subscriber))).toBe(shownAs)
      expect((await accept(subscriber)).status).toBe(200)
      expect(counted.calls).toBe(when === 'before' ? 1 : 0)
      expect(await uses(subscriber)).toEqual(['stay taken'])
      expect(await charges(subscriber, 3)).toEqual(expected(3))
    },
  )

  test('a retry records what a crash has not, and the discount is given once', async () => {
    const subscriber = await newSubscriber()
    const counted = countDiscounts()
    world.neon.onStatement = (statement, run) => {
      if (statement.query.includes('settle_stay_offer')) throw new ResponseLost()
      return run()
    }
    expect((await accept(subscriber)).status).toBe(200)
    world.neon.onStatement = undefined
    expect(await uses(subscriber)).toEqual(['stay reserved'])
    expect((await accept(subscriber)).status).toBe(200)
    expect(counted.calls).toBe(1)
    expect(await uses(subscriber)).toEqual(['stay taken'])
  })

  test('in a later period an attempt with an unknown outcome counts as used', async () => {
    const subscriber = await newSubscriber()
    countDiscounts('after')
    await accept(subscriber)
    const counted = countDiscounts()
    await charges(subscriber, 1)
    const { html, status } = await accept(subscriber)
    expect(status).toBe(400)
    expect(html).toContain('You have already used this offer.')
    expect(counted.calls).toBe(0)
  })

  test('a use is free again if the processor refuses the discount', async () => {
    const subscriber = await newSubscriber()
    await refuseDiscounts(true)
    expect((await accept(subscriber)).status).toBe(502)
    expect(await uses(subscriber)).toEqual([])
    await refuseDiscounts(false)
    expect((await accept(subscriber)).status).toBe(200)
  })

  /** Deletes the discount of the offer at the processor, or lets it exist again. Without discounts, the processor refuses the change. */
  async function refuseDiscounts(areRefused: boolean): Promise<void> {
    const { half } = discountsAt(name)
    if (half) return setDiscounts(world[name], shop.paywall.id, areRefused ? { [half]: null } : {})
    emulator().onCall = areRefused ? refusePatch : undefined
  }

  async function refusePatch({ method }: { method: string }, run: () => Promise<HttpResponse>): Promise<HttpResponse> {
    if (method !== 'PATCH') return run()
    const body = JSON.stringify({ status: 422, title: 'Unprocessable Entity', field: 'amount' })
    return { status: 422, headers: { 'content-type': 'application/hal+json' }, body }
  }

  test('a subscription that has a discount keeps that one', async () => {
    const subscriber = await subscribe(world, shop, 'monthly', newEmail(), { offer: 'sale' })
    await emulator().drainWebhooks()
    const { status, html } = await accept(subscriber)
    expect(status).toBe(409)
    expect(html).toContain('already has a discount')
    expect(await uses(subscriber)).toEqual(['sale taken'])
    expect(await charges(subscriber, 1)).toEqual(Array(2).fill({ amount: 899, discount: 100 }))
  })

  test('of two members who accept the last use at once, one gets it', async () => {
    const members = [await newSubscriber('plus'), await newSubscriber('plus')]
    raceStatements(world, 'claim_stay_offer', members.length)
    const sent = await Promise.all(members.map((member) => accept(member, `9.99 ${periods} last`)))
    expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 400])
    expect(sent.find(({ status }) => status === 400)?.html).toContain('This offer has just been used up.')
  })

  test.each(['4.99 3 stay', '', '4.99 2 other'])(
    'an offer that was not shown like this is not given: %s',
    async (shown) => {
      const subscriber = await newSubscriber()
      expect((await accept(subscriber, shown)).status).toBe(409)
      expect(await uses(subscriber)).toEqual([])
    },
  )

  test('a subscription that is cancelled stays cancelled', async () => {
    const subscriber = await newSubscriber()
    const counted = countDiscounts()
    await cancelAsUser(world, subscriber)
    await emulator().drainWebhooks()
    await until('the cancellation is stored', async () => {
      const sql = 'select from purchases where id = $1 and cancel_at_period_end'
      return (await world.database.query(sql, [subscriber.purchaseId])).rowCount
    })
    expect((await accept(subscriber)).status).toBe(303)
    expect(counted.calls).toBe(0)
    expect(await uses(subscriber)).toEqual([])
  })

  test('while its plan is being changed a subscription gets no discount', async () => {
    const subscriber = await newSubscriber()
    const { finish, changed } = await holdChange(subscriber)
    const counted = countDiscounts()
    expect((await accept(subscriber)).status).toBe(409)
    expect(counted.calls).toBe(0)
    expect(await uses(subscriber)).toEqual([])
    finish()
    expect((await changed).status).toBe(200)
  })

  /** Changes the plan up to its first call of the processor, which `finish` lets pass. */
  async function holdChange({ token }: Subscriber) {
    const released = Promise.withResolvers<void>()
    const called = Promise.withResolvers<void>()
    emulator().onCall = async (_, run) => {
      called.resolve()
      await released.promise
      return run()
    }
    const path = `/api/v1/paywall/${shop.paywall.id}/change-plan`
    const body = { priceId: getPriceId(shop.paywall, 'plus') }
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const changed = call(world, path, { token, body, headers })
    await called.promise
    return { changed, finish: released.resolve }
  }

  test('the gateway has no route to it', async () => {
    const { token, purchaseId } = await newSubscriber()
    const path = `/api/v1/paywall/${shop.paywall.id}/stay-offer`
    const reply = await call(world, path, { token, body: { subscriptionId: purchaseId, offer: 'stay' } })
    expect(reply.status).toBe(404)
  })
})
