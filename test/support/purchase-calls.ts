import { type Call, call, type Reply } from './call.ts'
import type { Subscriber } from './subscriber.ts'
import { at } from './tenants.ts'
import type { TestWorld } from './world.ts'

type Bought = Pick<Subscriber, 'purchaseId'>

/** Ends a purchase with the owner's key. */
export const endPurchase = (world: TestWorld, { purchaseId }: Bought, options: Call = {}): Promise<Reply> =>
  call(world, at(world, `purchases/${purchaseId}/end`), { key: world.key, body: {}, ...options })

/** Refunds a payment of a purchase with the owner's key; by default all that is left of the latest one. */
export const refundPurchase = (world: TestWorld, { purchaseId }: Bought, options: Call = {}): Promise<Reply> =>
  call(world, at(world, `purchases/${purchaseId}/refund`), { key: world.key, body: {}, ...options })
