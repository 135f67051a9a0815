import { createHmac } from 'node:crypto'
import type { AccountRecords } from '../../../dev/emulators/core/acts/account-records.ts'
import type { PageRecord, SubscriptionRecord } from '../../../dev/emulators/core/domain/selling-records.ts'
import { licenseOwn, soldOwn } from '../../../dev/emulators/freemius/own.ts'
import type { PurchaseStatus } from '../../../lib/processors/processor.ts'
import type { Driver } from './driver.ts'
import { isoTime, oneTimeSale, type Sale, subscriptionSale } from './sale.ts'

export const FREEMIUS: Driver<'freemius'> = {
  // A pricing has one price per billing cycle, so the one-time price and the monthly price share its id.
  prices: {
    monthly: '501:601',
    plus: '504:605',
    yearly: '502:603',
    lifetime: '501:601',
    pack: '503:604',
    local: '501:602',
  },
  sign: ({ body }, { secretKey }) => ({
    'x-signature': createHmac('sha256', secretKey).update(body).digest('hex'),
  }),
  otherScheme: ({ 'x-signature': signature = '' }) => ({ 'x-signature': `sha256=${signature}` }),
  namesPurchases: true,
  readsMayBeStale: false,
  newValues: { gateway: 'telepathy' },
  opensPage: null,
  refusesEmail: null,
  accountReader(freemius, { records, now }) {
    // The owner has switched off *Restrict Single Subscription Per User*.
    freemius.manySubscriptions = true
    return {
      sales: () => records('pages').flatMap((license) => getSale(records, license, now()) ?? []),
      // A page is a link: nothing is stored before it is paid, and it does not name our checkout.
      pages: () => [],
      pageLocale: (url) => new URL(url).searchParams.get('language'),
    }
  },
}

/** A sale is a licence. */
function getSale(records: AccountRecords, license: PageRecord, now: number): Sale | null {
  const processorId = license.id
  if (license.subscription === null) {
    const payment = records('payments').find(({ id }) => id === license.payment)
    return payment ? oneTimeSale(records, payment, { processorId }) : null
  }
  const subscription = records('subscriptions').find(({ id }) => id === license.subscription)
  if (!subscription) return null
  const paidUntil = endOfPaid(records, subscription)
  // Each change of plan creates a new subscription; payments of the earlier ones belong to the licence.
  const all = records('subscriptions').filter((each) => soldOwn(each).license === license.id)
  return {
    ...subscriptionSale(records, subscription, all),
    processorId,
    periodEnd: isoTime(paidUntil),
    renews: canceledAt(subscription) === null,
    status: getStatus(records, license, { subscription, paidUntil, now }),
  }
}

/** An immediate end counts as a cancellation. */
const canceledAt = (subscription: SubscriptionRecord) => subscription.canceledAt ?? subscription.endedAt

/** A licence continues only if the next period is paid, and never longer than its subscription. */
function endOfPaid(records: AccountRecords, { latestInvoice, endedAt }: SubscriptionRecord): number {
  const invoice = records('invoices').find(({ id }) => id === latestInvoice)
  const end = (invoice?.status === 'paid' ? invoice.periodEnd : invoice?.periodStart) ?? 0
  return Math.min(end, endedAt ?? end)
}

/** The licence gives access; a cancelled subscription stays cancelled. */
function getStatus(
  records: AccountRecords,
  license: PageRecord,
  { subscription, paidUntil, now }: { subscription: SubscriptionRecord; paidUntil: number; now: number },
): PurchaseStatus {
  const { cancelReason, trialEnd } = subscription
  // After the last failed charge Freemius cancels the licence, too.
  if (licenseOwn(license).cancelled || cancelReason === 'payment_failed') return 'canceled'
  if (canceledAt(subscription) !== null) return paidUntil <= now ? 'canceled' : 'active'
  if (trialEnd !== null && trialEnd > now) return 'trialing'
  return subscriptionSale(records, subscription).status
}
