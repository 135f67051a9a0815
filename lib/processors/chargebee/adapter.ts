import type { Adapter, AdapterOptions } from '../adapter.ts'
import { lookUp } from '../look-up.ts'
import { type CheckoutOrder, ProcessorError, type PurchaseReference } from '../processor.ts'
import { chargebeeApi, encode, type Fields, inPath, isMissing, isRefusedEmail, parse } from './api.ts'
import { endNow, isRefused, stopCharging } from './charging.ts'
import { discountSubscription } from './discount-subscription.ts'
import { hasFailed, readChargebeeEvent } from './events.ts'
import {
  CustomerReply,
  DownloadReply,
  InvoiceList,
  InvoiceReply,
  OpenedPageReply,
  PageReply,
  PortalReply,
  type Subscription,
  SubscriptionReply,
  TransactionReply,
} from './objects.ts'
import { changePlan, previewPlanChange } from './plan-change.ts'
import { refundPayment } from './refund.ts'
import { decide, type Invoices, NO_INVOICES, type Observed, toCancellation } from './translate.ts'

/** Maximum lengths of the API, in characters. Longer values are refused, so optional ones are omitted. */
const LONGEST_EMAIL = 70
const LONGEST_REDIRECT = 250
const LONGEST_COMMENT = 1000

/** Number of invoices read per subscription: those of its current term, and some earlier ones. */
const LATEST_INVOICES = 10

const DAY_SECONDS = 24 * 3600
const HOUR_SECONDS = 3600

/** Chargebee's API v2, product catalog 2. A page cannot be closed: it expires by itself. */
export function chargebeeAdapter(
  credentials: { site: string; apiKey: string; webhookUser: string; webhookPassword: string },
  options: AdapterOptions,
): Adapter<Observed, never> {
  const { base, now } = options
  const { get, post } = chargebeeApi(credentials, options)

  async function observeSubscription(id: string): Promise<Observed | null> {
    const reply = await get(`/subscriptions/${inPath(id)}`, SubscriptionReply)
    if (!reply) return null
    const { subscription, customer = null } = reply
    const scheduled = subscription.has_scheduled_changes ? await withScheduledChanges(subscription) : null
    return { kind: 'subscription', subscription, scheduled, customer, invoices: await latestInvoices(subscription) }
  }

  /** Null if there are none any more: they have just been applied or removed. */
  async function withScheduledChanges({ id }: Subscription): Promise<Subscription | null> {
    try {
      const path = `/subscriptions/${inPath(id)}/retrieve_with_scheduled_changes`
      return (await get(path, SubscriptionReply))?.subscription ?? null
    } catch (error) {
      if (!isRefused(error)) throw error
      return null
    }
  }

  /** A trial has none. */
  async function latestInvoices({ id, status }: Subscription): Promise<Invoices> {
    if (status === 'future' || status === 'in_trial') return NO_INVOICES
    const query = encode({ limit: LATEST_INVOICES, 'subscription_id[is]': id, 'sort_by[desc]': 'date' })
    const { list = [], next_offset } = (await get(`/invoices?${query}`, InvoiceList)) ?? {}
    return { latest: list.map(({ invoice }) => invoice), hasMore: next_offset !== undefined }
  }

  async function observeInvoice(id: string): Promise<Observed | null> {
    const reply = await get(`/invoices/${inPath(id)}`, InvoiceReply)
    if (!reply) return null
    const { invoice } = reply
    const owner = await get(`/customers/${inPath(invoice.customer_id)}`, CustomerReply)
    return { kind: 'invoice', invoice, customer: owner?.customer ?? null }
  }

  /** A purchase is read from its own object, not from the page's copy. */
  async function observePage(id: string): Promise<Observed | null> {
    const page = (await get(`/hosted_pages/${inPath(id)}`, PageReply))?.hosted_page
    if (!page) return null
    const { subscription, invoice } = page.content ?? {}
    const isSold = page.state === 'succeeded' || page.state === 'acknowledged'
    const bought = !isSold
      ? null
      : subscription
        ? await observeSubscription(subscription.id)
        : invoice && (await observeInvoice(invoice.id))
    return bought ?? { kind: 'page', page }
  }

  const findTransaction = async (id: string) =>
    (await get(`/transactions/${inPath(id)}`, TransactionReply))?.transaction ?? null

  /** Stores the buyer's reason as a comment. Chargebee has a reason code, but accepts only the site's own codes. */
  async function comment(subscriptionId: string, reason: string): Promise<void> {
    const notes = reason.slice(0, LONGEST_COMMENT)
    if (notes === '') return
    try {
      await post('/comments', { entity_type: 'subscription', entity_id: subscriptionId, notes })
    } catch (error) {
      // The cancellation is valid even if the reason is not stored.
      if (!(error instanceof ProcessorError)) throw error
    }
  }

  return {
    async openCheckout(order) {
      const { path, fields, key } = toCheckoutFields(order, now())
      const reply = await post(path, fields, key).catch((error) => {
        if (!isRefusedEmail(error)) throw error
        // The page then asks the buyer for an address.
        const { 'customer[email]': _, ...others } = fields
        return post(path, others, `${key}:no-email`)
      })
      const { hosted_page: page } = parse(OpenedPageReply, reply)
      return { pageId: page.id, url: page.url, expiresAt: page.expires_at ?? null }
    },

    async cancelAtPeriodEnd(subscriptionId, reason) {
      const path = `/subscriptions/${inPath(subscriptionId)}`
      try {
        const reply = parse(SubscriptionReply, await post(`${path}/cancel_for_items`, { cancel_option: 'end_of_term' }))
        await comment(subscriptionId, reason)
        return toCancellation(reply.subscription, now())
      } catch (error) {
        if (!(error instanceof ProcessorError) || error.kind !== 'rejected') throw error
        // It may have been cancelled before, by a call whose response was lost or by the buyer in the portal.
        const subscription = (await get(path, SubscriptionReply))?.subscription
        const cancellation = subscription && toCancellation(subscription, now())
        if (cancellation?.cancelAtPeriodEnd || cancellation?.status === 'canceled') return cancellation
        throw error
      }
    },

    stopCharging: (subscriptionId) => stopCharging({ get, post }, subscriptionId),
    endNow: (subscriptionId) => endNow({ get, post }, subscriptionId),
    refundPayment: (order) => refundPayment({ get, post }, order, options.now()),

    previewPlanChange: (change) => previewPlanChange({ get, post }, change),
    changePlan: (change) => changePlan({ get, post }, change),

    discountSubscription: (discounted) => discountSubscription({ get, post }, discounted),

    async openPortal(customer, returnUrl) {
      const back = returnUrl.length <= LONGEST_REDIRECT && { redirect_url: returnUrl }
      const reply = parse(PortalReply, await post('/portal_sessions', { 'customer[id]': customer, ...back }))
      return reply.portal_session.access_url
    },

    // Every payment is one of an invoice, whose PDF Chargebee makes at once. Its address is temporary.
    async openReceipt({ id }) {
      try {
        const reply = await post(`/invoices/${inPath(id)}/pdf`, { disposition_type: 'inline' })
        return { kind: 'page', url: parse(DownloadReply(base), reply).download.download_url }
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },

    observe: ({ kind, id }: PurchaseReference) =>
      kind === 'page' ? observePage(id) : kind === 'subscription' ? observeSubscription(id) : observeInvoice(id),

    decide,

    act: async (todo) => todo satisfies never,

    async failedRefunds(ids) {
      const refunds = await Promise.all(ids.map(findTransaction))
      return refunds.flatMap((refund) => (refund && hasFailed(refund) ? [refund.id] : []))
    },

    readEvent: (request, hold = null) =>
      readChargebeeEvent(
        request,
        { user: credentials.webhookUser, password: credentials.webhookPassword },
        (transaction) => lookUp('chargebee', hold, () => findTransaction(transaction)),
      ),
  }
}

/**
 * The parameters of an order's page. Our checkout's id becomes the subscription's id, or the order number of a one-time invoice: Chargebee
 * sells under the same subscription id only once, independent of the idempotency key.
 *
 * A trial's end is a time and not a number of days. It is counted from the last full hour, and part of the key, so that a retry is the same
 * call for as long as possible.
 */
function toCheckoutFields(order: CheckoutOrder, now: Date): { path: string; fields: Fields; key: string } {
  const ours = { checkout_id: order.checkoutId, paywall_id: order.paywallId, user_id: order.userId }
  const hasEmail = order.email !== null && order.email.length <= LONGEST_EMAIL
  const fields: Fields = {
    layout: 'full_page',
    redirect_url: order.successUrl,
    cancel_url: order.errorUrl,
    pass_thru_content: JSON.stringify(ours),
    'customer[id]': order.customer ?? order.userId,
    ...(hasEmail && { 'customer[email]': order.email ?? '' }),
    // Without it, the page is in the language of the browser. A known customer keeps its own, in which it also gets invoices and mails.
    ...(order.customer === null && order.options.locale !== undefined && { 'customer[locale]': order.options.locale }),
    ...(order.discount !== undefined && { 'coupon_ids[0]': order.discount }),
  }
  if (!order.recurring) {
    const path = '/hosted_pages/checkout_one_time_for_items'
    const item = { 'item_prices[item_price_id][0]': order.processorPrice, 'item_prices[quantity][0]': order.quantity }
    const invoice = { currency_code: order.currency, 'invoice[po_number]': order.checkoutId }
    return { path, fields: { ...fields, ...invoice, ...item }, key: order.key }
  }
  const hour = Math.floor(now.getTime() / 1000 / HOUR_SECONDS) * HOUR_SECONDS
  // 0: no trial, even if the item price has one.
  const trialEnd = order.trialDays === 0 ? 0 : hour + order.trialDays * DAY_SECONDS
  const subscription = { 'subscription[id]': order.checkoutId, 'subscription[trial_end]': trialEnd }
  const item = {
    'subscription_items[item_price_id][0]': order.processorPrice,
    'subscription_items[quantity][0]': order.quantity,
  }
  const key = trialEnd === 0 ? order.key : `${order.key}:${trialEnd}`
  return { path: '/hosted_pages/checkout_new_for_items', fields: { ...fields, ...subscription, ...item }, key }
}
