import type { HostedPage } from 'chargebee'
import { type AccountContext, find } from '../../core/domain/context.ts'
import type { PageRecord } from '../../core/domain/selling-records.ts'
import { billPaidBy, billsOf } from '../bills.ts'
import { pageOwn } from '../own.ts'
import { invoiceObject } from './invoice.ts'
import { customerObject, withCustomer } from './subscription.ts'
import { complete, version } from './wire.ts'

export function hostedPageObject(page: PageRecord, context: AccountContext) {
  const { id, mode, created, expiresAt } = page
  const { passThru } = pageOwn(page)
  return complete('hosted_page', {
    ...{ id, url: `${context.url}/pages/v3/${id}`, state: stateOf(page) },
    type: mode === 'subscription' ? 'checkout_new' : 'checkout_one_time',
    ...(passThru !== null && { pass_thru_content: passThru }),
    ...{ created_at: created, expires_at: expiresAt, ...version(created) },
    // The SDK's type lists what pages of all types may have.
    content: { ...bought(page, context) } as HostedPage['content'],
  }) as { id: string }
}

/** A page whose time is over keeps its state. */
export function stateOf(page: PageRecord) {
  if (page.status === 'complete') return 'succeeded' as const
  return pageOwn(page).cancelled ? ('cancelled' as const) : ('created' as const)
}

/** What was bought on the page, as it is now. */
function bought({ status, customer, subscription, payment }: PageRecord, context: AccountContext) {
  if (status !== 'complete' || customer === null) return {}
  const [bill] =
    subscription !== null
      ? billsOf(context, subscription)
      : [payment === null ? null : billPaidBy(context, find(context, 'payments', payment))]
  return {
    ...(subscription === null
      ? { customer: customerObject(find(context, 'customers', customer)) }
      : withCustomer(find(context, 'subscriptions', subscription), context)),
    ...(bill && { invoice: invoiceObject(bill, context) }),
  }
}
