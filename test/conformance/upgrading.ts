import { expect } from 'vitest'
import { accountRecords } from '../../dev/emulators/core/acts/account-records.ts'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { ownerEvents } from '../support/owner-events.ts'
import {
  advanceClock,
  advancePastPeriodEnd,
  type Buyer,
  buy,
  decline,
  getProcessorId,
  newEvents,
  type Order,
  open,
  pay,
  readPurchase,
  readState,
  type Slug,
} from './buyer.ts'
import type { Shop } from './shop.ts'

/** An order that replaces the buyer's subscription. */
export const replacing = ({ email }: Buyer, body: object = {}): Order => ({
  email,
  body: { ignoreActivePurchase: true, ...body },
})

/** An hour later the same buyer buys again, to replace its subscription. Returns the owner's new events. */
export async function upgrade(buyer: Buyer, slug: Slug = 'monthly', body: object = {}): Promise<string[]> {
  await advanceClock(buyer, '1h')
  await pay(await open(buyer.shop, slug, replacing(buyer, body)))
  return newEvents(buyer)
}

/** The period ends and its charge fails, as do all others until the buyer can pay again. */
export async function fallsPastDue(buyer: Buyer): Promise<void> {
  await decline(buyer, true)
  await advancePastPeriodEnd(buyer)
}

/** A purchase of a buyer, by its id here. */
export async function purchaseBy(buyer: Buyer, id: string) {
  const purchase = (await readState(buyer)).purchases.find((each) => each.id === id)
  if (!purchase) throw new Error(`${buyer.userId} has no purchase ${id}`)
  return purchase
}

/** How often each purchase of a buyer was charged, by its id here. */
export async function charges({ shop: { world }, userId }: Buyer): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { type, data } of await ownerEvents(world, userId)) {
    if (type !== 'payment.succeeded') continue
    const id = String(data.payment?.purchase_id)
    counts[id] = (counts[id] ?? 0) + 1
  }
  return counts
}

/** Whether a call to a processor changes a subscription. */
export const changesSubscription = ({ method, path }: { method: string; path: string }) =>
  method === 'DELETE' || method === 'PATCH' || (method === 'POST' && /\/subscriptions\/[^/]+/.test(path))

/** While something runs, no call that changes a subscription reaches the processor. */
export async function withoutStops(shop: Shop, meanwhile: () => Promise<void>): Promise<void> {
  shop.emulator.onCall = async (call, run) => {
    if (changesSubscription(call)) throw new DroppedCall()
    return run()
  }
  try {
    await meanwhile()
  } finally {
    shop.emulator.onCall = undefined
  }
}

/** What a subscription still owes, where its processor charges by invoice. */
export const getOwed = ({ emulator, paywall }: Shop, id: string) =>
  accountRecords(
    emulator,
    paywall.id,
  )('invoices').filter(({ subscription, status }) => subscription === id && (status === 'draft' || status === 'open'))

/** A buyer with a subscription, and its ids here and at the processor. */
export async function bought(shop: Shop, slug: 'monthly' | 'yearly' = 'monthly') {
  const buyer = await buy(shop, slug)
  return { buyer, there: await getProcessorId(buyer), here: (await readPurchase(buyer))!.id }
}

/** The buyer can pay, and more than a period passes: the older subscription is not charged for it, and has ended. */
export async function expectNoMoreCharges(buyer: Buyer, id: string, before: number, span = '33d'): Promise<void> {
  await decline(buyer, false)
  await advanceClock(buyer, span)
  expect((await charges(buyer))[id] ?? 0).toBe(before)
  expect(await purchaseBy(buyer, id)).toMatchObject({ status: 'canceled' })
}
