import { type AccountContext, find } from '../../core/domain/context.ts'
import { latestInvoice } from '../../core/domain/invoices.ts'
import type { PageRecord, SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { licenseOwn, subscriptionOwn } from '../own.ts'
import { complete, dateTime, dateTimeOrNull, idsOf } from './wire.ts'

/** A licence, from the completed page that sold it. */
export function licenseObject(page: PageRecord, context: AccountContext) {
  const { environment, cancelled } = licenseOwn(page)
  const subscription = subscriptionOf(page, context)
  return complete('license', {
    ...{ id: page.id, created: dateTime(page.created), plugin_id: page.account, user_id: page.customer },
    ...{ ...idsOf(page.price), secret_key: `sk_${page.id}`, environment },
    expiration: dateTimeOrNull(expirationOf(page, context)),
    // After the last failed charge Freemius cancels the subscription and the licence.
    is_cancelled: cancelled || subscription?.cancelReason === 'payment_failed',
  })
}

/** The latest subscription of a licence; null if it was bought for ever. */
export const subscriptionOf = ({ subscription }: PageRecord, context: AccountContext) =>
  subscription === null ? null : find(context, 'subscriptions', subscription)

export const licenseOf = (subscription: SubscriptionRecord, context: AccountContext) =>
  find(context, 'pages', subscriptionOwn(subscription).license)

/** A licence lasts as long as it is paid for, or as its trial; null: for ever. */
function expirationOf(page: PageRecord, context: AccountContext): number | null {
  const subscription = subscriptionOf(page, context)
  if (subscription === null) return null
  const { status, periodStart, periodEnd } = latestInvoice(context, subscription)
  const paidUntil = status === 'paid' ? periodEnd : periodStart
  // A trial ends as it is cancelled; a period that is paid for goes on to its end.
  return Math.min(paidUntil, subscription.endedAt ?? paidUntil)
}
