import { expect } from 'vitest'
import { Changed, Preview } from '../../functions/change-plan/contract.ts'
import { call } from '../support/call.ts'
import { getPriceId, press } from '../support/checkout.ts'
import { until } from '../support/until.ts'
import { type Buyer, newEvents, type Slug } from './buyer.ts'
import { paysEveryChangeOnPage } from './drivers/plans.ts'
import { paymentEvents } from './money.ts'

/** Calls change-plan with the owner's key. */
export function changePlan({ shop: { world, paywall, key }, userId }: Buyer, slug: Slug, body = {}, headers = {}) {
  const path = `/api/v1/paywall/${paywall.id}/change-plan`
  return call(world, path, { key, headers, body: { userId, priceId: getPriceId(paywall, slug), ...body } })
}

/** Changes the plan, and returns the owner's new events. The buyer pays where the processor requires that. */
export async function change(...parameters: Parameters<typeof changePlan>): Promise<string[]> {
  const [buyer] = parameters
  const { status, body } = await changePlan(...parameters)
  expect({ status, body }).toMatchObject({ status: 200 })
  const { checkoutUrl } = Changed.parse(body)
  expect(checkoutUrl !== null).toBe(paysEveryChangeOnPage(buyer.shop.acquiring))
  if (checkoutUrl !== null) await press(checkoutUrl, 'pay')
  else await untilRead(buyer)
  return newEvents(buyer)
}

/** Waits for the read after a change. Not every processor sends a webhook of it. */
export const untilRead = ({ shop: { world }, userId }: Buyer) =>
  until('the changed subscription is read', async () => {
    const sql = 'select from purchases where user_id = $1 and fetched_at >= plan_changed_at'
    return (await world.database.query(sql, [userId])).rowCount
  })

/** What a change of plan would cost. */
export async function preview(buyer: Buyer, slug: Slug, body = {}) {
  const reply = await changePlan(buyer, slug, { preview: true, ...body })
  expect(reply).toMatchObject({ status: 200 })
  return Preview.parse(reply.body)
}

/** The amounts of the buyer's payments, oldest first. */
export const paidAmounts = async (buyer: Buyer) =>
  (await paymentEvents(buyer)).flatMap(({ type, amount }) => (type === 'payment.succeeded' ? [amount] : []))
