import type { HostedPage } from 'chargebee'
import { type AccountContext, find } from '../../core/domain/context.ts'
import type { PageRecord } from '../../core/domain/selling-records.ts'
import { billOfPayment, billsOf } from '../bills.ts'
import { pageOwn } from '../own.ts'
import { customerObject } from './customer.ts'
import { invoiceObject } from './invoice.ts'
import { subscriptionObject } from './subscription.ts'
import { version, type Wire } from './wire.ts'

export function hostedPageObject(page: PageRecord, context: AccountContext): Wire<HostedPage> & { id: string } {
  const { passThru } = pageOwn(page)
  return {
    id: page.id,
    type: page.mode === 'subscription' ? 'checkout_new' : 'checkout_one_time',
    url: `${context.url}/pages/v3/${page.id}`,
    state: stateOf(page),
    ...(passThru !== null && { pass_thru_content: passThru }),
    embed: false,
    created_at: page.created,
    expires_at: page.expiresAt,
    layout: 'full_page',
    content: contentOf(page, context),
    ...version(page.created),
    object: 'hosted_page',
  }
}

/** A page whose time is over keeps its state. */
export function stateOf(page: PageRecord) {
  if (page.status === 'complete') return 'succeeded' as const
  return pageOwn(page).cancelled ? ('cancelled' as const) : ('created' as const)
}

/** What was bought on the page, as it is now. The SDK's type lists what pages of all types may have. */
function contentOf(page: PageRecord, context: AccountContext): HostedPage['content'] {
  return { ...bought(page, context) } as HostedPage['content']
}

function bought(page: PageRecord, context: AccountContext) {
  if (page.status !== 'complete' || page.customer === null) return {}
  const customer = customerObject(find(context, 'customers', page.customer))
  if (page.subscription !== null) {
    const [bill] = billsOf(context, page.subscription)
    const subscription = subscriptionObject(find(context, 'subscriptions', page.subscription), context)
    return { subscription, customer, ...(bill && { invoice: invoiceObject(bill, context) }) }
  }
  const bill = page.payment === null ? null : billOfPayment(context, find(context, 'payments', page.payment))
  return { customer, ...(bill && { invoice: invoiceObject(bill, context) }) }
}
