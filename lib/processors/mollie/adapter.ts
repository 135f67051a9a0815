// Mollie has hosted pages for payments only. A subscription starts with the page of its first payment, and is created once that is paid, by
// the next read; a trial starts with a payment of 0, which some payment methods allow. Mollie has no portal, and its pages cannot be
// closed.
import type * as z from 'zod'
import type { Adapter, AdapterOptions } from '../adapter.ts'
import { lookUp } from '../look-up.ts'
import {
  type CheckoutOrder,
  type PlanChange,
  ProcessorError,
  type PurchaseReference,
  UnexpectedReply,
} from '../processor.ts'
import { type MollieApi, MollieApiError, mollieApi, parse } from './api.ts'
import { noticeAddress } from './definition.ts'
import { discountSubscription } from './discount-subscription.ts'
import { readMollieEvent } from './events.ts'
import { Customer, FirstSale, hasReversals, OpenedPayment, Payment, readRenewal, type Sale } from './objects.ts'
import { pageLanguage } from './page-language.ts'
import { reductionFor, writeAmount } from './plan.ts'
import { type Changeable, changePlan, isChanged, previewChange, toChangeable } from './plan-change.ts'
import { refundPayment } from './refund.ts'
import {
  endReduction,
  endSubscription,
  listPayments,
  listSubscriptions,
  makeSubscription,
  refundDifference,
  setInterval,
  settleDifference,
} from './subscriptions.ts'
import { decideSale, hasEnded, type MollieTodo, type ObservedSale } from './translate.ts'

export function mollieAdapter(
  { apiKey, webhookSecret }: { apiKey: string; webhookSecret?: string },
  options: AdapterOptions,
): Adapter<ObservedSale, MollieTodo> {
  const api = mollieApi(apiKey, options)
  const act = (todo: MollieTodo) => perform(api, todo, options)
  const read = ({ subscriptionId }: Pick<PlanChange, 'subscriptionId'>) =>
    readChangeable(api, subscriptionId, act, options.now)

  return {
    async openCheckout(order) {
      const opened = await createPayment(api, order, noticeAddress(options, order.checkoutId))
      const { id, _links } = parse(OpenedPayment, opened)
      // The method that the buyer chooses decides when it expires, and then a webhook reports that.
      return { pageId: id, url: _links.checkout.href, expiresAt: null }
    },

    async cancelAtPeriodEnd(id) {
      const reference = { kind: 'subscription', id } as const
      await stopRenewal(api, await mustHave(observe(api, reference), id), options.now())
      // Mollie's reply is about the subscription, and the sale outlives that.
      return null
    },

    stopCharging: (id) => stopCharging(api, id, options.now()),

    // At Mollie, ending is the same as no longer charging.
    endNow: (id) => stopCharging(api, id, options.now()),

    observe: (reference) => observe(api, reference),

    decide: decideSale,

    act,

    async previewPlanChange(change) {
      const found = await read(change)
      return found && previewChange(found, change)
    },

    async changePlan(change, quoted) {
      const found = await read(change)
      if (!found) return { outcome: 'cancelled' }
      const webhookUrl = noticeAddress(options, found.sale.checkout_id)
      const result = await changePlan(api, found, change, { quoted, webhookUrl })
      if (result?.outcome !== 'changed') return result
      // If the difference is paid, this read changes the plan.
      const changed = await read(change)
      if (!changed) return { outcome: 'cancelled' }
      return isChanged(changed, change) ? result : { outcome: 'declined' }
    },

    async discountSubscription(discounted) {
      const found = await read(discounted)
      return found && discountSubscription(api, found, discounted)
    },

    refundPayment: (order) => refundPayment(api, order),

    readEvent: (request, hold = null) =>
      readMollieEvent((id) => lookUp('mollie', hold, () => findPayment(api, id)), webhookSecret ?? null, request),
  }
}

/** Performs the action of a decision. */
function perform(api: MollieApi, todo: MollieTodo, options: AdapterOptions): Promise<void> {
  switch (todo.do) {
    case 'create the subscription':
      return makeSubscription(api, todo.payment, todo.sale, {
        now: options.now(),
        webhookUrl: noticeAddress(options, todo.sale.checkout_id),
      })
    case 'end the subscription':
      return endSubscription(api, todo.subscription)
    case 'change the plan':
      return settleDifference(api, todo.subscription, todo.difference, todo.move)
    case 'refund the difference':
      return refundDifference(api, todo.difference)
    case 'set the interval':
      return setInterval(api, todo.subscription, todo)
    case 'end the reduction':
      return endReduction(api, todo.subscription, todo.terms)
    default:
      throw new Error(`unknown action ${todo satisfies never}`)
  }
}

/** A payment with its subscriptions and charges. The charges are read after the subscriptions: see `subscriptionSnapshot`. */
async function observe(api: MollieApi, { kind, id }: PurchaseReference): Promise<ObservedSale | null> {
  const payment = await findPayment(api, id)
  if (!payment) return null
  // The payment of a renewal, or of a difference on a page or not, is part of the purchase that its first payment began.
  const renewal = readRenewal(payment.metadata)
  if (renewal && renewal.first_payment !== id) return observe(api, { kind: 'subscription', id: renewal.first_payment })
  if (payment.sequenceType === 'recurring') return null
  const sale = payment.sequenceType === 'first' ? (FirstSale.safeParse(payment.metadata).data ?? null) : null
  const observed = { isPage: kind === 'page', payment, sale, subscriptions: [], charges: [], differences: [] }
  if (sale === null || payment.status !== 'paid') return observed
  const subscriptions = await listSubscriptions(api, payment)
  const [subscription] = subscriptions
  if (!subscription) return { ...observed, subscriptions }
  const { charges, differences } = await listPayments(api, payment, subscription)
  return {
    ...observed,
    subscriptions,
    charges: await withReversals(api, charges),
    differences: await withReversals(api, differences),
  }
}

/** Maximum number of actions before a change of plan: more are left to the reads. */
const MOST_ACTS = 3

/**
 * The subscription to change, after what an earlier attempt has left to do, such as to change the plan for a difference that is paid. Null
 * if it is cancelled.
 */
async function readChangeable(
  api: MollieApi,
  id: string,
  act: (todo: MollieTodo) => Promise<void>,
  now: () => Date,
): Promise<Changeable | null> {
  for (let acts = 0; ; acts++) {
    const observed = await mustHave(observe(api, { kind: 'subscription', id }), id)
    const { found, todo } = decideSale(observed, now())
    if (!found) throw new UnexpectedReply('mollie', `the metadata of ${id}`)
    // What Mollie refuses to refund does not prevent another change.
    if (todo === null || (acts === MOST_ACTS && todo.do === 'refund the difference'))
      return toChangeable(observed, found.purchase)
    if (acts === MOST_ACTS)
      throw new ProcessorError('mollie', 'unavailable', `it refuses to ${todo.do}`, { answered: true })
    await act(todo)
  }
}

/** For how many charges refunds and chargebacks are read: no sale has had more returned charges. */
const MOST_REVERSED = 10

/** Lists do not embed refunds and chargebacks. */
async function withReversals(api: MollieApi, charges: Payment[]): Promise<Payment[]> {
  const reversed = charges.filter(hasReversals).slice(0, MOST_REVERSED)
  const whole = await Promise.all(reversed.map(({ id }) => findPayment(api, id)))
  return charges.map((charge) => whole.find((each) => each?.id === charge.id) ?? charge)
}

/** A payment with its refunds and chargebacks. Null if the account has no such payment, or no longer has it. */
async function findPayment(api: MollieApi, id: string): Promise<Payment | null> {
  try {
    return parse(Payment, await api.get(`/payments/${encodeURIComponent(id)}?embed=refunds%2Cchargebacks`))
  } catch (error) {
    if (error instanceof MollieApiError && error.isMissing) return null
    throw error
  }
}

/** A charge in progress continues, and so does a paid period. */
async function stopCharging(api: MollieApi, id: string, now: Date): Promise<void> {
  await stopRenewal(api, await mustHave(observe(api, { kind: 'subscription', id }), id), now)
}

async function stopRenewal(api: MollieApi, { payment, sale, subscriptions }: ObservedSale, now: Date): Promise<void> {
  if (!sale) throw new UnexpectedReply('mollie', `the metadata of ${payment.id}`)
  for (const subscription of subscriptions.filter((each) => !hasEnded(each))) await endSubscription(api, subscription)
  if (subscriptions[0] || sale.canceled_at) return
  // There is no subscription yet: the cancellation date in the payment's metadata prevents its creation.
  const metadata = { ...sale, canceled_at: now }
  const changed = parse(Payment, await api.patch(`/payments/${encodeURIComponent(payment.id)}`, { metadata }))
  if (FirstSale.safeParse(changed.metadata).data?.canceled_at) return
  throw new ProcessorError('mollie', 'unavailable', 'the cancellation was not stored', { answered: true })
}

async function mustHave<Observed>(observing: Promise<Observed | null>, id: string): Promise<Observed> {
  const observed = await observing
  if (observed !== null) return observed
  const message = `Mollie no longer has the first payment ${id}`
  throw new ProcessorError('mollie', 'rejected', message, { answered: true })
}

/**
 * If the account does not have the stored customer, the sale is made with a new one: the owner may have switched accounts. The second call
 * needs another idempotency key, because Mollie has stored its refusal under the first.
 */
async function createPayment(api: MollieApi, order: CheckoutOrder, webhookUrl: string | null): Promise<unknown> {
  try {
    return await api.post('/payments', paymentFor(order, await ensureCustomer(api, order), webhookUrl), order.key)
  } catch (error) {
    const isMissing = error instanceof MollieApiError && (error.isMissing || error.field === 'customerId')
    if (order.customer === null || !isMissing) throw error
    const another = { ...order, customer: null, key: `${order.key}:new-customer` }
    return api.post('/payments', paymentFor(another, await ensureCustomer(api, another), webhookUrl), another.key)
  }
}

/** The customer to charge. A subscription needs one, which is created if necessary; a one-time purchase does not. */
async function ensureCustomer(api: MollieApi, { customer, recurring, email, userId, key }: CheckoutOrder) {
  if (customer !== null || recurring === null) return customer
  const anybody = { metadata: { user_id: userId } }
  const made = await api
    .post('/customers', { ...(email && { email }), ...anybody }, `${key}:customer`)
    .catch((error: unknown) => {
      // An address that Mollie rejects is omitted: it is optional.
      if (!email || !(error instanceof MollieApiError) || error.field !== 'email') throw error
      return api.post('/customers', anybody, `${key}:customer:no-email`)
    })
  return parse(Customer, made).id
}

function paymentFor(order: CheckoutOrder, customer: string | null, webhookUrl: string | null) {
  const { currency, quantity, recurring, trialDays, options } = order
  const total = { currency, amount: order.amount * quantity }
  const reduction = order.reduction && {
    ...reductionFor(total, order.reduction),
    ...(trialDays > 0 && { after_trial: true as const }),
  }
  const sale: z.input<typeof Sale> = {
    checkout_id: order.checkoutId,
    paywall_id: order.paywallId,
    user_id: order.userId,
    ...(reduction && { reduction }),
  }
  const first = reduction ? { currency, value: reduction.reduced } : writeAmount(total)
  const payment = {
    description: order.processorPrice,
    redirectUrl: order.successUrl,
    cancelUrl: order.errorUrl,
    ...(webhookUrl !== null && { webhookUrl }),
    ...(customer !== null && { customerId: customer }),
    ...pageLanguage(options),
  }
  if (recurring === null) return { ...payment, amount: first, sequenceType: 'oneoff', metadata: sale }

  const amount = trialDays > 0 ? writeAmount({ currency, amount: 0 }) : first
  const metadata: z.input<typeof FirstSale> = {
    ...sale,
    interval: recurring.interval,
    interval_count: recurring.intervalCount,
    trial_days: trialDays,
    renewal: writeAmount({ currency, amount: order.amount }),
    quantity,
  }
  return { ...payment, amount, sequenceType: 'first', metadata }
}
