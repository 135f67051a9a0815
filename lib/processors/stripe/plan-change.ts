// Changing the plan of a subscription at Stripe. Each call leaves a state from which a retry can continue, whoever makes it: first the
// subscription is read, and what is done already is not done again.
import Stripe from 'stripe'
import type * as z from 'zod'
import type { PlanChange, PlanChangePreview, PlanChangeResult } from '../processor.ts'
import { parse } from './api.ts'
import { endWithPeriod, isRefused, release, unconfirmed } from './charging.ts'
import { fromStripe } from './definition.ts'
import { ChangeableSubscription, InvoicePreview, type PreviewLine, Schedule } from './objects.ts'
import { endsWithPeriod } from './translate.ts'

const CHANGED: PlanChangeResult = { outcome: 'changed' }

/**
 * See `ProcessorMethods.previewPlanChange`. Stripe refuses the preview if in the meantime another call has scheduled the subscription's end
 * or a change of its plan.
 */
export async function previewPlanChange(api: Stripe, change: PlanChange): Promise<PlanChangePreview> {
  const subscription = await read(api, change)
  try {
    return await previewChange(subscription, api, change)
  } catch (error) {
    if (!isRefused(error)) throw error
    const changed = await read(api, change)
    if (isUnchanged(changed, subscription)) throw error
    return previewChange(changed, api, change)
  }
}

const isUnchanged = (one: Subscription, other: Subscription) =>
  one.schedule === other.schedule &&
  one.cancel_at_period_end === other.cancel_at_period_end &&
  one.cancel_at?.getTime() === other.cancel_at?.getTime()

async function previewChange(subscription: Subscription, api: Stripe, change: PlanChange): Promise<PlanChangePreview> {
  const next = await preview(api, subscription, change, 'none')
  const { currency } = next
  const money = (amount: number) => fromStripe(amount, currency)
  const periodEnd = subscription.items.data[0]!.current_period_end
  const effectiveAt = change.when === 'now' ? change.pricedAt : periodEnd
  const common = { currency, effectiveAt, isEstimate: false }
  if (!isChargedNow(subscription, change)) {
    return { ...common, dueNow: 0, credit: 0, next: { amount: money(next.amount_due), at: periodEnd } }
  }
  const now = await preview(api, subscription, change, 'always_invoice')
  const credits = now.lines.data.filter(({ amount }) => amount < 0)
  const period = now.lines.data.find((line) => line.amount >= 0 && hasNewPrice(line, change))?.period
  return {
    ...common,
    dueNow: money(now.amount_due),
    credit: money(-sumLines(credits)),
    next: { amount: money(renewalAmount(now, next)), at: period?.end ?? periodEnd },
  }
}

/** See `ProcessorMethods.changePlan`. */
export async function changePlan(
  api: Stripe,
  change: PlanChange,
  quoted: number | null,
  now: Date,
): Promise<PlanChangeResult> {
  const subscription = await read(api, change)
  if (hasPlan(subscription, change)) return keepPlan(api, subscription)
  if (change.when === 'period_end') return quoted ? { outcome: 'other_amount' } : schedule(api, subscription, change)
  return changeNow(api, subscription, change, quoted, now)
}

type Subscription = ChangeableSubscription
type Preview = z.output<typeof InvoicePreview>

const EXPANDED = { expand: ['latest_invoice'] }

const read = async (api: Stripe, { subscriptionId: id }: PlanChange): Promise<Subscription> =>
  parse(ChangeableSubscription, await api.subscriptions.retrieve(id, EXPANDED))

const hasPlan = ({ items }: Subscription, { to }: PlanChange) => isPlan(items.data[0]!, to)

const isPlan = ({ price, quantity }: { price: { id: string }; quantity: number }, to: PlanChange['to']) =>
  price.id === to.processorPrice && quantity === to.quantity

const hasNewPrice = ({ pricing }: PreviewLine, { to }: PlanChange) =>
  pricing?.price_details?.price === to.processorPrice

/** A change in a trial is free: the trial continues, and the new price is charged at its end. */
const isChargedNow = ({ status }: Subscription, { when }: PlanChange) => when === 'now' && status !== 'trialing'

/**
 * The invoice of a change. With `none` it is that of the next period at the new price, whose amount is the same if that period begins now,
 * because its interval differs.
 */
async function preview(
  api: Stripe,
  subscription: Subscription,
  change: PlanChange,
  proration_behavior: 'always_invoice' | 'none',
): Promise<Preview> {
  const reply = await api.invoices.createPreview({
    subscription: subscription.id,
    subscription_details: {
      items: changedItem(subscription, change),
      proration_behavior,
      ...(proration_behavior === 'always_invoice' && { proration_date: prorationDate(subscription, change) }),
      // Stripe refuses to change the end of a subscription that a schedule manages.
      ...(subscription.schedule === null && withoutEnd(subscription)),
    },
  })
  return parse(InvoicePreview, reply)
}

const changedItem = ({ items }: Subscription, { to }: PlanChange) => [
  { id: items.data[0]!.id, price: to.processorPrice, quantity: to.quantity },
]

/**
 * Stripe accepts times in the current period only. A preview just after the period's beginning may be earlier by our clock. After a renewal
 * the amount differs from that of the preview.
 */
function prorationDate({ items }: Subscription, { pricedAt }: PlanChange): number {
  const { current_period_start: start, current_period_end: end } = items.data[0]!
  const within = Math.min(Math.max(pricedAt.getTime(), start.getTime()), end.getTime())
  return Math.floor(within / 1000)
}

/** Undoes a scheduled cancellation. Stripe accepts only one of the two parameters. */
function withoutEnd({ cancel_at_period_end: flag, cancel_at: at }: Subscription) {
  if (flag) return { cancel_at_period_end: false }
  return at === null ? {} : ({ cancel_at: '' } as const)
}

const sumLines = (lines: PreviewLine[]) => lines.reduce((sum, line) => sum + lineTotal(line), 0)

function lineTotal({ amount, discount_amounts: discounts, taxes }: PreviewLine): number {
  const discount = (discounts ?? []).reduce((sum, each) => sum + each.amount, 0)
  const added = (taxes ?? []).filter(({ tax_behavior: behavior }) => behavior === 'exclusive')
  return amount - discount + added.reduce((sum, each) => sum + each.amount, 0)
}

/** The charge of a period at the new price, less what is left of the customer's credit after the change. */
function renewalAmount(now: Preview, next: Preview): number {
  const period = sumLines(next.lines.data.filter(({ parent }) => !parent.isProration))
  return Math.max(0, period + Math.min(0, now.starting_balance + now.total))
}

/** The subscription has the price and the quantity: it keeps them, and does not end. */
async function keepPlan(api: Stripe, subscription: Subscription): Promise<PlanChangeResult> {
  if (subscription.schedule !== null) await release(api, subscription.schedule)
  const end = withoutEnd(subscription)
  if (Object.keys(end).length > 0) await api.subscriptions.update(subscription.id, end)
  return CHANGED
}

async function changeNow(
  api: Stripe,
  found: Subscription,
  change: PlanChange,
  quoted: number | null,
  now: Date,
): Promise<PlanChangeResult> {
  const currency = found.items.data[0]!.price.currency
  const isQuoted = (amount: number) => quoted === null || fromStripe(amount, currency) === quoted
  const waiting = paymentPage(found, now)
  if (waiting && isWaitingFor(found, change) && isQuoted(found.latest_invoice!.amount_due)) return waiting
  if (quoted !== null && !isQuoted(await chargeNow(api, found, change))) return { outcome: 'other_amount' }
  const updated = await update(api, await withEndAsFlag(api, found, change), change)
  if (updated === 'declined') return { outcome: 'declined' }
  if (hasPlan(updated, change)) return keepPlan(api, updated)
  if (updated.pending_update === null) throw unconfirmed('the plan is unchanged')
  return paymentPage(updated, now) ?? { outcome: 'declined' }
}

const chargeNow = async (api: Stripe, subscription: Subscription, change: PlanChange): Promise<number> =>
  isChargedNow(subscription, change) ? (await preview(api, subscription, change, 'always_invoice')).amount_due : 0

/** The page on which a pending update can be paid; null if there is none, or if it has expired. */
function paymentPage({ pending_update: pending, latest_invoice: invoice }: Subscription, now: Date) {
  if (pending === null || pending.expires_at <= now || invoice?.status !== 'open') return null
  return invoice.hosted_invoice_url ? ({ outcome: 'payment_required', url: invoice.hosted_invoice_url } as const) : null
}

const isWaitingFor = ({ pending_update: pending }: Subscription, { to }: PlanChange) =>
  pending?.subscription_items?.some((item) => isPlan(item, to)) ?? false

/**
 * Releases the schedule, whose next phase would replace the new price, and makes the end that the portal sets a flag. Only the flag can be
 * undone by an update that waits for a payment, so that the subscription still ends if it is never paid.
 */
async function withEndAsFlag(api: Stripe, found: Subscription, change: PlanChange): Promise<Subscription> {
  if (found.schedule !== null) await release(api, found.schedule)
  const subscription = found.schedule === null ? found : await read(api, change)
  if (!endsWithPeriod(subscription) || subscription.cancel_at_period_end) return subscription
  return parse(ChangeableSubscription, await endWithPeriod(api, subscription.id, EXPANDED))
}

/**
 * Changes the price and the quantity. If the charge is declined, or its buyer must authenticate, the update waits for the payment of its
 * invoice and changes nothing until then.
 */
async function update(api: Stripe, subscription: Subscription, change: PlanChange): Promise<Subscription | 'declined'> {
  const params: Stripe.SubscriptionUpdateParams = {
    ...EXPANDED,
    items: changedItem(subscription, change),
    ...(isChargedNow(subscription, change)
      ? {
          proration_behavior: 'always_invoice',
          proration_date: prorationDate(subscription, change),
          payment_behavior: 'pending_if_incomplete',
        }
      : { proration_behavior: 'none' }),
    ...(subscription.cancel_at_period_end && { cancel_at_period_end: false }),
  }
  try {
    const reply = await api.subscriptions.update(subscription.id, params, { idempotencyKey: change.key })
    return parse(ChangeableSubscription, reply)
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError) return 'declined'
    throw error
  }
}

/**
 * Schedules the price and the quantity for the next period. A schedule of the current period only is one that an earlier attempt has created.
 * It decides whether the subscription ends, so a scheduled cancellation is undone by the same call that sets the price.
 */
async function schedule(api: Stripe, subscription: Subscription, change: PlanChange): Promise<PlanChangeResult> {
  const existing = await readSchedule(api, subscription)
  if (existing && isScheduled(existing, subscription, change)) return CHANGED
  const isReused = existing?.phases.length === 1
  if (existing && !isReused) await release(api, existing.id)
  const made = isReused ? existing : await createSchedule(api, change)
  await api.subscriptionSchedules.update(made.id, {
    end_behavior: 'release',
    proration_behavior: 'none',
    phases: phases(made, subscription, change),
  })
  const scheduled = await read(api, change)
  if (endsWithPeriod(scheduled)) throw unconfirmed('the end is still scheduled')
  return CHANGED
}

async function readSchedule(api: Stripe, { schedule: id }: Subscription): Promise<Schedule | null> {
  return id === null ? null : parse(Schedule, await api.subscriptionSchedules.retrieve(id))
}

const createSchedule = async (api: Stripe, { subscriptionId, key }: PlanChange): Promise<Schedule> =>
  parse(
    Schedule,
    await api.subscriptionSchedules.create(
      { from_subscription: subscriptionId },
      { idempotencyKey: `${key}:schedule` },
    ),
  )

/** Whether the price and the quantity are those of the next phase. */
function isScheduled({ end_behavior: end, phases }: Schedule, subscription: Subscription, { to }: PlanChange): boolean {
  const next = phases.find(({ start_date: start }) => start >= periodEnd(subscription))
  const item = next?.items[0]
  return end === 'release' && item?.price === to.processorPrice && (item.quantity ?? 1) === to.quantity
}

const periodEnd = ({ items }: Subscription) => items.data[0]!.current_period_end.getTime() / 1000

/** The current phase has to be repeated. A phase has no discounts, no trial and perhaps no taxes unless they are given. */
function phases(
  { phases: [current] }: Schedule,
  subscription: Subscription,
  { to }: PlanChange,
): Stripe.SubscriptionScheduleUpdateParams.Phase[] {
  const { start_date, trial_end, items, discounts } = current!
  const [item, ...others] = items.map(({ price, quantity }) => ({ price, ...(quantity != null && { quantity }) }))
  const kept = (discounts ?? []).flatMap(({ discount }) => (discount === null ? [] : [{ discount }]))
  const common = {
    proration_behavior: 'none',
    ...(kept.length > 0 && { discounts: kept }),
    ...(subscription.automatic_tax.enabled && { automatic_tax: { enabled: true } }),
  } as const
  return [
    {
      ...common,
      items: [item!, ...others],
      start_date,
      end_date: periodEnd(subscription),
      ...(trial_end !== null && { trial_end }),
    },
    {
      ...common,
      items: [{ ...item!, price: to.processorPrice, quantity: to.quantity }, ...others],
      duration: { interval: to.interval, interval_count: to.intervalCount },
    },
  ]
}
