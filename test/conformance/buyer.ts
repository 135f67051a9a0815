import { expect } from 'vitest'
import { type Call, call, type Reply } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { runDeferredReads } from '../support/deferred-reads.ts'
import {
  findPreviousErrors,
  findSequenceErrors,
  type OwnerEvent,
  ownerEvents,
  untilAllDelivered,
} from '../support/owner-events.ts'
import { cancel } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import { type UserState, userState, verifiedBalances } from '../support/user-state.ts'
import type { SoldAs } from './drivers/driver.ts'
import type { Sale } from './drivers/sale.ts'
import type { Shop } from './shop.ts'

export type Slug = Exclude<SoldAs, 'local'>

const DAY_MS = 86_400_000

/** A buyer who has opened a hosted checkout page. */
export interface Buyer {
  shop: Shop
  email: string
  userId: string
  checkoutUrl: string
  /** How many of the owner's events were already checked. */
  received: number
}

export type Order = Call & { body?: Record<string, unknown>; email?: string }

/** Calls start-checkout with the owner's key. */
export function order(
  { world, paywall, key }: Shop,
  slug: Slug = 'monthly',
  { body, email = newEmail(), ...rest }: Order = {},
): Promise<Reply> {
  return startCheckout(world, { paywall, key, body: { email, priceId: getPriceId(paywall, slug), ...body }, ...rest })
}

/** Opens a hosted checkout page. */
export async function open(shop: Shop, slug: Slug = 'monthly', options: Order = {}): Promise<Buyer> {
  const email = options.email ?? newEmail()
  const { userId, checkoutUrl, acquiring } = parseOpened(await order(shop, slug, { ...options, email }))
  expect([acquiring, new URL(checkoutUrl).origin]).toEqual([shop.acquiring, shop.emulator.url])
  return { shop, email, userId, checkoutUrl, received: 0 }
}

/** Whether the hosted page has buttons to press. */
export async function canPay({ checkoutUrl }: Buyer): Promise<boolean> {
  return (await (await fetch(checkoutUrl)).text()).includes('<form')
}

/** Presses a button on the page, and follows redirects back to us. Returns the final URL, or null if the page does not redirect. */
export async function pressAndReturn({ shop: { world }, checkoutUrl }: Buyer, button: Parameters<typeof press>[1]) {
  let url = await press(checkoutUrl, button)
  if (!url.startsWith(world.url)) return null
  while (url.startsWith(world.url)) {
    const { status, headers } = await call(world, url)
    expect(status).toBe(303)
    url = headers.location ?? ''
  }
  return url
}

/** Pays on the page and returns. Webhooks are sent as usual. */
export async function pay(buyer: Buyer): Promise<void> {
  expect(await pressAndReturn(buyer, 'pay')).toMatch(/^https:\/\/owner\.example\/thanks\?session=[0-9a-f-]{36}$/)
}

/** Buys, and waits until all webhooks and events have arrived. */
export async function buy(shop: Shop, slug: Slug = 'monthly', options: Order = {}): Promise<Buyer> {
  const buyer = await open(shop, slug, options)
  await pay(buyer)
  await newEvents(buyer)
  return buyer
}

export const readState = ({ shop: { world, paywall, key }, userId }: Buyer): Promise<UserState> =>
  userState(world, userId, { paywallId: paywall.id, key })

/** The latest purchase. */
export const readPurchase = async (buyer: Buyer) => (await readState(buyer)).purchases[0]

/** The tokens of the monthly price, verified against the ledger. */
export const readTokens = async ({ shop, userId }: Buyer) => (await verifiedBalances(shop.world, userId)).standard ?? 0

/** The processor's id of the latest purchase. */
export async function getProcessorId({ shop: { world }, userId }: Buyer): Promise<string> {
  const { rows } = await world.database.query<{ processor_id: string }>(
    'select processor_id from purchases where user_id = $1 order by created_at desc limit 1',
    [userId],
  )
  if (!rows[0]) throw new Error(`${userId} has bought nothing`)
  return rows[0].processor_id
}

/** Runs an action on the latest purchase at its processor, waits for the webhooks, and returns the owner's new events. */
export async function causeAtProcessor<Result>(
  buyer: Buyer,
  action: ((id: string) => Promise<Result>) | undefined,
): Promise<string[]> {
  if (!action) throw new Error(`${buyer.shop.acquiring} does not support that`)
  await action(await getProcessorId(buyer))
  return newEvents(buyer)
}

/**
 * The names of the events since the last call, sorted, with the amounts of payments. Each event must arrive once and in order, and its
 * `previous` must be the state before it.
 */
export async function newEvents(buyer: Buyer): Promise<string[]> {
  const { world } = buyer.shop
  await handleWebhooks(buyer.shop)
  const events = await ownerEvents(world, buyer.userId)
  expect(findSequenceErrors(events)).toEqual([])
  expect(findPreviousErrors(events)).toEqual([])
  const latest = events.slice(buyer.received)
  buyer.received = events.length
  return latest.map(getName).toSorted()
}

/**
 * Waits until all webhooks are handled. A read that was too slow is repeated after the response, so if the processor responds normally,
 * this also runs the repeated read.
 */
export async function handleWebhooks({ world, emulator, paywall }: Shop): Promise<void> {
  await emulator.drainWebhooks()
  if (emulator.onCall) return
  // Moving the clock locks deliveries: one that is due just then would be skipped, and no cron runs here.
  await untilAllDelivered(world)
  await runDeferredReads({ ...world, paywall })
}

/** The type of an event, with the amount of a payment. */
export const getName = ({ type, data: { payment } }: OwnerEvent) => (payment ? `${type} ${payment.amount}` : type)

/** Cancels through our API with the owner's key, and waits until the cancellation is stored. */
export async function cancelThroughApi(buyer: Buyer): Promise<Reply> {
  const { world, paywall, key } = buyer.shop
  const subscriptionId = (await readPurchase(buyer))?.id
  const body = { paywallId: paywall.id, userId: buyer.userId, subscriptionId, cancellationReason: 'too expensive' }
  const reply = await cancel(world, { key, body })
  if (reply.status === 200) {
    await until('the cancellation is stored', async () => {
      const purchase = (await readState(buyer)).purchases.find(({ id }) => id === subscriptionId)
      return purchase?.cancel_at_period_end || purchase?.status === 'canceled'
    })
  }
  return reply
}

/** Moves the clock of the buyer's paywall by a span such as `31d`. Returns the owner's new events. */
export async function advanceClock(buyer: Buyer, by: string): Promise<string[]> {
  await buyer.shop.world.clock.advance(buyer.shop.paywall.id, by)
  return newEvents(buyer)
}

/** Moves the clock to a day after the end of the current period. */
export async function advancePastPeriodEnd(buyer: Buyer): Promise<string[]> {
  const { world, paywall } = buyer.shop
  const end = Date.parse(String((await readPurchase(buyer))?.current_period_end))
  const days = Math.ceil((end - (await world.clock.now(paywall.id)).getTime()) / DAY_MS) + 1
  return advanceClock(buyer, `${days}d`)
}

/** Makes the processor decline the buyer's charges from now on, or accept them again. */
export async function decline({ shop: { world, emulator }, userId }: Buyer, declines: boolean): Promise<void> {
  const { rows } = await world.database.query<{ processor_customer: string }>(
    'select processor_customer from purchases where user_id = $1',
    [userId],
  )
  await emulator.declineCharges(rows[0]!.processor_customer, declines)
}

/** The latest purchase as stored at the processor. */
export async function getSale(buyer: Buyer): Promise<Sale> {
  const id = await getProcessorId(buyer)
  const sale = buyer.shop.account.sales().find(({ processorId }) => processorId === id)
  if (!sale) throw new Error(`${buyer.shop.acquiring} has no purchase ${id}`)
  return sale
}

/** Checks that the stored subscription has the same state as at the processor. */
export async function expectStoredAsAtProcessor(buyer: Buyer): Promise<void> {
  const [{ status, renews }, purchase] = [await getSale(buyer), await readPurchase(buyer)]
  const isRenewed = purchase?.status !== 'canceled' && !purchase?.cancel_at_period_end
  expect({ status: purchase?.status, renews: isRenewed }).toEqual({ status, renews })
}
