import { expect } from 'vitest'
import { accountRecords } from '../../dev/emulators/core/acts/account-records.ts'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { until } from '../support/until.ts'
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

/** Buys again an hour later, to replace the buyer's subscription. Returns the owner's new events. */
export async function upgrade(buyer: Buyer, slug: Slug = 'monthly', body: object = {}): Promise<string[]> {
  await advanceClock(buyer, '1h')
  await pay(await open(buyer.shop, slug, replacing(buyer, body)))
  return newEvents(buyer)
}

/** Opens another page for the buyer. The first one stays open: where the processor can close it, the calls that do so fail. */
export async function openBeside(first: Buyer, slug: Slug, options: Order = { email: first.email }): Promise<Buyer> {
  const { shop, checkoutUrl } = first
  const { world, emulator, capabilities } = shop
  if (!capabilities.expiresPages) return open(shop, slug, options)
  const pageId = checkoutUrl.split('/').at(-1) ?? ''
  const logged = world.logs.length
  emulator.onCall = async ({ path }, run) => (path.includes(pageId) ? { status: 500, headers: {}, body: '{}' } : run())
  const other = await open(shop, slug, options)
  await until('the first page cannot be closed', async () =>
    world.logs.slice(logged).some(({ message }) => message.includes('superseded checkout not closed')),
  )
  emulator.onCall = undefined
  return other
}

/** Advances past the period end while all charges of the buyer are declined. */
export async function makePastDue(buyer: Buyer): Promise<void> {
  await decline(buyer, true)
  await advancePastPeriodEnd(buyer)
}

/** A purchase of a buyer, by our id. */
export async function findPurchase(buyer: Buyer, id: string) {
  const purchase = (await readState(buyer)).purchases.find((each) => each.id === id)
  if (!purchase) throw new Error(`${buyer.userId} has no purchase ${id}`)
  return purchase
}

/** How often each purchase of a buyer was charged, by our id. */
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

/** Drops all calls that change a subscription while `meanwhile` runs. */
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

/** The open invoices of a subscription, if its processor charges by invoice. */
export const getOwed = ({ emulator, paywall }: Shop, id: string) =>
  accountRecords(
    emulator,
    paywall.id,
  )('invoices').filter(({ subscription, status }) => subscription === id && (status === 'draft' || status === 'open'))

/** A buyer with a subscription; `purchaseId`: our id of it, `processorId`: the processor's id. */
export async function bought(shop: Shop, slug: 'monthly' | 'yearly' = 'monthly') {
  const buyer = await buy(shop, slug)
  return { buyer, processorId: await getProcessorId(buyer), purchaseId: (await readPurchase(buyer))!.id }
}

/** Checks that the older subscription has ended and was not charged again after more than a period, although the buyer can pay. */
export async function expectNoMoreCharges(buyer: Buyer, id: string, before: number, span = '33d'): Promise<void> {
  await decline(buyer, false)
  await advanceClock(buyer, span)
  expect((await charges(buyer))[id] ?? 0).toBe(before)
  expect(await findPurchase(buyer, id)).toMatchObject({ status: 'canceled' })
}
