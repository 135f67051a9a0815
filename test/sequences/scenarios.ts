import { randomUUID } from 'node:crypto'
import {
  advanceClock,
  advancePastPeriodEnd,
  type Buyer,
  buy,
  cancelThroughApi,
  causeAtProcessor,
  decline,
  getName,
  handleWebhooks,
  newEvents,
  open,
  pay,
} from '../conformance/buyer.ts'
import { change } from '../conformance/change-plan-calls.ts'
import type { Shop } from '../conformance/shop.ts'
import { payOnPage } from '../support/anonymous.ts'
import { call } from '../support/call.ts'
import { getPriceId, parseOpened, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { getGrant, parseSession, requestTokens, signInAnonymously } from '../support/sign-in.ts'
import { userState } from '../support/user-state.ts'

/** What happens, and the events that it causes, as `newEvents` names them. */
export interface Step {
  what: string
  events: string[]
}

export interface Scenario {
  title: string
  play(shop: Shop): AsyncGenerator<Step>
}

const step = async (what: string, events: Promise<string[]>): Promise<Step> => ({ what, events: await events })

/** Opens a page and pays. */
async function purchase(
  shop: Shop,
  slug: 'monthly' | 'yearly' | 'lifetime',
): Promise<{ buyer: Buyer; events: string[] }> {
  const buyer = await open(shop, slug)
  await pay(buyer)
  return { buyer, events: await newEvents(buyer) }
}

async function cancels(buyer: Buyer): Promise<string[]> {
  await cancelThroughApi(buyer)
  return newEvents(buyer)
}

export const SCENARIOS: Scenario[] = [
  {
    title: 'A purchase of a subscription',
    async *play(shop) {
      const { events } = await purchase(shop, 'monthly')
      yield { what: 'The buyer pays 999 cents on the hosted page', events }
    },
  },
  {
    title: 'A one-time purchase',
    async *play(shop) {
      const { events } = await purchase(shop, 'lifetime')
      yield { what: 'The buyer pays 4900 cents on the hosted page', events }
    },
  },
  {
    title: 'A trial with conversion',
    async *play(shop) {
      const { buyer, events } = await purchase(shop, 'yearly')
      yield { what: 'The buyer starts a trial of seven days on the hosted page', events }
      yield step('Three days before the trial ends', advanceClock(buyer, '5d'))
      yield* renewal(buyer, 'The trial ends')
    },
  },
  {
    title: 'A trial without conversion',
    async *play(shop) {
      const { buyer, events } = await purchase(shop, 'yearly')
      yield { what: 'The buyer starts a trial of seven days on the hosted page', events }
      yield step('The buyer cancels', cancels(buyer))
      yield step('Three days before the trial ends', advanceClock(buyer, '5d'))
      yield step('The trial ends', advanceClock(buyer, '3d'))
    },
  },
  {
    title: 'A renewal',
    async *play(shop) {
      const buyer = await buy(shop)
      yield* renewal(buyer)
    },
  },
  {
    title: 'A failed renewal that is paid within the grace period',
    async *play(shop) {
      const buyer = await buy(shop)
      yield step('The charge of the next period fails', causeAtProcessor(buyer, shop.account.failCharge))
      yield step('The charge is repeated and succeeds', causeAtProcessor(buyer, shop.account.recover))
    },
  },
  {
    title: 'A failed renewal that is paid after the grace period',
    async *play(shop) {
      const buyer = await buy(shop)
      yield step('The charge of the next period fails', causeAtProcessor(buyer, shop.account.failCharge))
      await decline(buyer, true)
      const during = await advanceClock(buyer, '6d')
      yield { what: 'The processor repeats it within the grace period, and it fails', events: [...new Set(during)] }
      const after = await advanceClock(buyer, '2d')
      yield {
        what: 'The grace period of seven days is over',
        events: after.filter((name) => !name.startsWith('payment.failed')),
      }
      await decline(buyer, false)
      yield step('The charge is repeated and succeeds', causeAtProcessor(buyer, shop.account.recover))
    },
  },
  {
    title: 'A cancellation that is undone',
    async *play(shop) {
      const buyer = await buy(shop)
      yield step('The buyer cancels', cancels(buyer))
      yield step('The buyer undoes that in the processor’s portal', causeAtProcessor(buyer, shop.account.undo))
      yield* renewal(buyer)
    },
  },
  {
    title: 'A cancellation',
    async *play(shop) {
      const buyer = await buy(shop)
      yield step('The buyer cancels', cancels(buyer))
      yield step('The period is over', advancePastPeriodEnd(buyer))
    },
  },
  {
    title: 'A change of plan now',
    async *play(shop) {
      const buyer = await buy(shop)
      yield step(
        'The buyer changes to a more expensive plan, and pays the difference',
        withoutAmounts(change(buyer, 'plus', { when: 'now' })),
      )
    },
  },
  {
    title: 'A change of plan at the end of the period',
    async *play(shop) {
      const buyer = await buy(shop)
      yield step(
        'The buyer changes to another plan at the end of the period',
        change(buyer, 'plus', { when: 'period_end' }),
      )
      yield* renewal(buyer)
    },
  },
  {
    title: 'Refunds in part and of the whole',
    async *play(shop) {
      const buyer = await buy(shop)
      yield step(
        '300 cents are refunded',
        causeAtProcessor(buyer, (id) => shop.account.refund(id, 300)),
      )
      yield step(
        'The rest is refunded, which removes the tokens of the period',
        causeAtProcessor(buyer, (id) => shop.account.refund(id)),
      )
    },
  },
  {
    title: 'A one-time purchase that is refunded',
    async *play(shop) {
      const { buyer } = await purchase(shop, 'lifetime')
      yield step(
        'The payment is refunded, which ends the purchase',
        causeAtProcessor(buyer, (id) => shop.account.refund(id)),
      )
    },
  },
  {
    title: 'A dispute that is won',
    async *play(shop) {
      const buyer = await buy(shop)
      yield step('The buyer’s bank disputes the payment', causeAtProcessor(buyer, shop.account.dispute))
      yield step(
        'The bank decides for you',
        causeAtProcessor(buyer, (id) => shop.account.decideDispute!(id, true)),
      )
    },
  },
  {
    title: 'A dispute that is lost',
    async *play(shop) {
      const buyer = await buy(shop)
      yield step('The buyer’s bank disputes the payment', causeAtProcessor(buyer, shop.account.dispute))
      yield step(
        'The bank decides for the buyer, which removes the tokens of the period',
        causeAtProcessor(buyer, (id) => shop.account.decideDispute!(id, false)),
      )
    },
  },
  {
    title: 'A merge',
    async *play(shop) {
      const { world, paywall, key } = shop
      const paywallId = paywall.id
      const known = await signIn(world, { paywallId, key })
      const anonymous = await signInAnonymously(world, { paywallId })
      const body = { priceId: getPriceId(paywall, 'monthly') }
      const headers = { 'idempotency-key': randomUUID() }
      const opened = await startCheckout(world, { paywall, token: anonymous.token, body, headers })
      await call(world, await payOnPage(parseOpened(opened).checkoutUrl))
      yield step('A user without an account pays 999 cents', newNames(shop, anonymous.user.id))
      const grant = await getGrant(world, known.email, { paywallId })
      parseSession(await requestTokens(world, grant, { paywallId, token: anonymous.token }))
      const merged = await newNames(shop, known.id)
      yield { what: 'The buyer signs in as another user: everything is that user’s from now on', events: merged }
      await world.clock.advance(paywallId, await timeToPeriodEnd({ shop, userId: known.id }))
      const begun = await newNames(shop, known.id, merged.length)
      yield { what: 'The next period begins: its events have the id of the user that remains', events: begun }
      await world.clock.advance(paywallId, '2h')
      yield step('Its payment succeeds, an hour later', newNames(shop, known.id, merged.length + begun.length))
    },
  },
]

/** The time until the current period has just ended. */
async function timeToPeriodEnd({ shop, userId }: Pick<Buyer, 'shop' | 'userId'>): Promise<string> {
  const { world, paywall, key } = shop
  const [purchase] = (await userState(world, userId, { paywallId: paywall.id, key })).purchases
  const milliseconds = Date.parse(purchase?.current_period_end ?? '') - (await world.clock.now(paywall.id)).getTime()
  return `${Math.ceil(milliseconds / 60_000) + 1}m`
}

/** A renewal, which Stripe charges an hour after the period has begun. */
async function* renewal(buyer: Buyer, what = 'The next period begins'): AsyncGenerator<Step> {
  yield step(what, advanceClock(buyer, await timeToPeriodEnd(buyer)))
  yield step('Its payment succeeds, an hour later', advanceClock(buyer, '2h'))
}

/** The names of a user's events but the first `known` ones. */
async function newNames(shop: Shop, userId: string, known = 0): Promise<string[]> {
  await handleWebhooks(shop)
  return (await ownerEvents(shop.world, userId)).slice(known).map(getName)
}

/** Without the amount of a difference, which depends on the day. */
async function withoutAmounts(events: Promise<string[]>): Promise<string[]> {
  return (await events).map((name) => name.replace(/ \d+$/, ''))
}
