import { hash } from 'node:crypto'
import { type AccountContext, all } from '../../core/domain/context.ts'
import { removePendingLine } from '../../core/domain/plan-changes.ts'
import type { PricedLine, SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { noSuch } from '../errors.ts'
import { subscriptionOwn } from '../own.ts'
import { productId, subscriptionItemId } from './selling.ts'
import { complete } from './wire.ts'

/*
 * Pending invoice items of price changes. "Any pending invoice items … are still charged at the end of the period, unless manually
 * deleted", even if the subscription is cancelled (docs.stripe.com/api/subscriptions/cancel).
 */

const itemId = ({ id }: SubscriptionRecord, line: PricedLine) =>
  `ii_${hash('sha256', JSON.stringify([id, line])).slice(0, 24)}`

export const pendingItems = (context: AccountContext) =>
  all(context, 'subscriptions').flatMap((subscription) =>
    subscription.pendingLines.map((line) => itemObject(subscription, line)),
  )

export function deletePendingItem(context: AccountContext, id: string) {
  if (!removePendingLine(context, itemId, id)) throw noSuch('invoices', id)
  return { id, object: 'invoiceitem' as const, deleted: true as const }
}

function itemObject(subscription: SubscriptionRecord, line: PricedLine) {
  const { id, customer } = subscription
  const { price, quantity, amount, isProration: proration, periodStart, periodEnd } = line
  return complete('invoiceitem', {
    id: itemId(subscription, line),
    amount,
    currency: price.currency,
    customer,
    date: periodStart,
    proration,
    quantity,
    description: `${amount < 0 ? 'Unused' : 'Remaining'} time on ${price.label}`,
    metadata: subscriptionOwn(subscription).metadata,
    parent: { subscription_details: { subscription: id, subscription_item: subscriptionItemId(subscription) } },
    period: { end: periodEnd, start: periodStart },
    pricing: {
      price_details: { price: price.id, product: productId(price) },
      unit_amount_decimal: String(price.amount),
    },
    quantity_decimal: String(quantity),
  })
}
