import { expect } from 'vitest'
import { ownerEvents } from '../support/owner-events.ts'
import { changeBalance, readLedger } from '../support/token-calls.ts'
import { type Buyer, getProcessorId } from './buyer.ts'

/** Debits tokens of the monthly price from a buyer. */
export async function spend({ shop: { world, paywall, key }, userId }: Buyer, amount: number): Promise<void> {
  const options = { paywallId: paywall.id, key }
  const reply = await changeBalance(world, { user_id: userId, op: 'debit', amount }, options)
  expect(reply.status).toBe(200)
}

/** The amounts of tokens removed or restored because of refunds, from the ledger. */
export const refundsInLedger = async ({ shop, userId }: Buyer) =>
  (await readLedger(shop.world, userId)).flatMap(([, reason, delta]) => (reason === 'refund' ? [delta] : []))

/** The owner's payment events of the buyer. */
export const paymentEvents = async ({ shop, userId }: Buyer) =>
  (await ownerEvents(shop.world, userId)).flatMap(({ type, data }) => (data.payment ? [{ type, ...data.payment }] : []))

/** Runs an action at the processor, and drops its webhooks. */
export async function beforeWebhooksArrive(
  buyer: Buyer,
  action: ((id: string) => Promise<unknown>) | undefined,
): Promise<void> {
  const { emulator, acquiring } = buyer.shop
  if (!action) throw new Error(`${acquiring} does not support that`)
  emulator.holdWebhooks()
  await action(await getProcessorId(buyer))
  await emulator.sendHeldWebhooks(() => [])
}
