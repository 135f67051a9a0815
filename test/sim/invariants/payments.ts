import { isoTime, type Sale } from '../../conformance/drivers/sale.ts'
import type { Person } from '../person.ts'
import { isUndoneAfter } from './alarms.ts'
import {
  type Case,
  DAY_SECONDS,
  findOrder,
  findSale,
  HOUR_SECONDS,
  type Invariant,
  type StoredPurchase,
} from './case.ts'

/**
 * No payment, refund or dispute is reported twice. The owner hears of each that a webhook reported to us, except some failed attempts.
 * Where no webhook reports disputes, polls find those that were decided.
 */
export const PAYMENTS_REPORTED: Invariant = {
  name: 'payments reported',
  faults({
    company: { capabilities },
    processorState: { payments },
    purchases,
    events,
    known: { everything, isQuiet },
  }) {
    const polled = capabilities.sendsDisputeWebhook ? [] : DECIDED
    const open = [
      'failed',
      ...(capabilities.sendsDisputeWebhook ? [] : ['disputed']),
      // A refund that has failed when it first becomes known is not reported.
      ...(payments.refund_failed > 0 ? ['refunded', 'refund_failed'] : []),
    ]
    const countReported = (kind: string) => events.filter(({ type }) => type === `payment.${kind}`).length
    const [refunds, reportedRefunds] = [
      payments.refunded - payments.refund_failed,
      countReported('refunded') - countReported('refund_failed'),
    ]
    return [
      ...Object.entries(payments).flatMap(([kind, count]) => {
        const reported = countReported(kind)
        const isKnown = polled.includes(kind) ? isQuiet : everything && !open.includes(kind)
        const isRight = isKnown ? reported === count : reported <= count
        return isRight ? [] : [`${reported} payments were reported as ${kind}, and there are ${count}`]
      }),
      ...(everything && reportedRefunds !== refunds
        ? [`${reportedRefunds} refunds were reported that did not fail later, and there are ${refunds}`]
        : []),
      ...(everything ? purchases.flatMap((purchase) => unreportedFailures(purchase, events)) : []),
    ]
  },
}

const DECIDED = ['dispute_lost', 'dispute_won']

/** Finds a subscription that became past due without an event for a failed or disputed payment. */
function unreportedFailures({ id, changes }: StoredPurchase, events: Case['events']): string[] {
  const isPastDue = changes.some(({ types }) => types.includes('subscription.past_due'))
  const isReported = events.some(({ type, data }) => FAILURES.includes(type) && data.payment?.purchase_id === id)
  return isPastDue && !isReported ? [`${id} is past due, and no payment was reported as failed`] : []
}

const FAILURES = ['payment.failed', 'payment.disputed', 'payment.dispute_lost']

/** A payment event has an amount that was paid for its purchase, to the cent, and the price that was sold: one price for each payment. */
export const PAYMENT_AMOUNTS: Invariant = {
  name: 'amounts',
  faults(life) {
    const { company, events, purchases } = life
    const reported = events.flatMap(({ data: { payment } }) => (payment ? [payment] : []))
    const named = new Map(reported.map(({ id, price_slug: slug }) => [id, slug]))
    const renamed = reported.filter(({ id, price_slug: slug }) => slug !== named.get(id))
    const succeeded = events.flatMap(({ type, data: { payment } }) =>
      payment && type === 'payment.succeeded' ? [payment] : [],
    )
    const misnamed = succeeded.flatMap(({ purchase_id: purchaseId, price_slug: slug }) => {
      const purchase = purchases.find(({ id }) => id === purchaseId)
      const order = findOrder(company, purchase)
      const slugs = [order?.slug, ...(purchase?.changes ?? []).map(({ is }) => is.price_slug)]
      return !order || slugs.includes(slug) ? [] : [`${slug} was paid for, not ${slugs}`]
    })
    const paid = company.records('payments').filter(({ status, amount }) => status === 'paid' && amount > 0)
    const invented = inventedAmounts(
      life,
      succeeded,
      paid.map(({ id, amount }) => ({ payment: id, amount })),
    )
    return [
      ...misnamed,
      ...invented.map(({ amount, currency, purchase_id: id }) => `nobody paid ${amount} ${currency} for ${id}`),
      ...renamed.map(({ id, price_slug: slug }) => `payment ${id} has the price ${named.get(id)}, and ${slug}`),
    ]
  },
}

/** Refunds are reported to the cent, with the total refunded so far. */
export const REFUNDS: Invariant = {
  name: 'money back',
  faults(life) {
    const { records, account } = life.company
    const reported = life.events.flatMap(({ type, data: { payment } }) =>
      payment ? [{ kind: type.split('.')[1]!, payment }] : [],
    )
    const takenBack = records('refunds').filter((refund) => account.isTakenBack?.(refund))
    const disputed = [...records('disputes'), ...takenBack]
    const due = { refunded: records('refunds'), disputed, dispute_lost: disputed }
    const invented = Object.entries(due).flatMap(([kind, moved]) => {
      const payments = reported.filter((each) => each.kind === kind).map(({ payment }) => payment)
      return inventedAmounts(life, payments, moved).map((payment) => ({ kind, payment }))
    })
    const payments = Map.groupBy(reported, ({ payment }) => payment.id)
    return [
      ...invented.map(({ kind, payment: { amount, id } }) => `nothing of ${amount} of ${id} is ${kind}`),
      ...[...payments.values()].flatMap(faultsOfTotal),
    ]
  },
}

/** The reported payments whose amount the processor did not move for a payment of their purchase, or moved less often than reported. */
function inventedAmounts(
  { company: { records }, processorState: { sales }, purchases }: Case,
  reported: ReportedPayment[],
  moved: { payment: string; amount: number }[],
): ReportedPayment[] {
  const left = moved.map(({ payment, amount }) => {
    const sale = sales.find(({ paid }) => paid.includes(payment))
    const purchase = purchases.find(({ processorId }) => processorId === sale?.processorId)
    const currency = records('payments')
      .find(({ id }) => id === payment)
      ?.currency.toUpperCase()
    return `${amount} ${currency} for ${purchase?.id}`
  })
  return reported.filter(({ amount, currency, purchase_id: id }) => {
    const place = left.indexOf(`${amount} ${currency} for ${id}`)
    if (place >= 0) left.splice(place, 1)
    return place < 0
  })
}

type ReportedPayment = NonNullable<Case['events'][number]['data']['payment']>

/** Checks that the total refunded in the last event of a payment is the sum of all events of the payment. */
function faultsOfTotal(reported: { kind: string; payment: ReportedPayment }[]): string[] {
  const sumUp = (kind: string) =>
    reported.filter((each) => each.kind === kind).reduce((sum, { payment }) => sum + payment.amount, 0)
  const { id, refunded_amount: shown, refunded: isAll } = reported.at(-1)!.payment
  const isWonAfterAll = sumUp('dispute_lost') > 0 && sumUp('dispute_won') > 0
  const back = sumUp('refunded') - sumUp('refund_failed') + sumUp('dispute_lost')
  const paid = sumUp('succeeded')
  return [
    ...(shown === back || isWonAfterAll ? [] : [`${shown} of ${id} went back, and ${back} was reported`]),
    ...(isAll === (paid > 0 && shown >= paid)
      ? []
      : [`${id} is ${isAll ? '' : 'not '}refunded, with ${shown} of ${paid}`]),
  ]
}

/** A checkout event has the amount of the first payment to the cent, or 0 for a trial, and the price that its page was opened to sell. */
export const CHECKOUT_AMOUNTS: Invariant = {
  name: 'checkout amounts',
  faults: (life) => {
    const { company, events, purchases } = life
    return events.flatMap(({ data: { checkout } }) => {
      const purchase = purchases.find(({ id }) => id === checkout?.purchase_id)
      const sale = purchase && findSale(life, purchase)
      const order = findOrder(company, purchase)
      if (!checkout || !sale || !order) return []
      const first = company.records('payments').find(({ id }) => id === sale.paid[0])
      const amount = purchase.trial_end || sale.hadTrial ? 0 : (first?.amount ?? 0)
      const due = `${order.slug} for ${amount} ${order.currency}`
      const reported = `${checkout.price_slug} for ${checkout.amount} ${checkout.currency}`
      return reported === due ? [] : [`${checkout.purchase_id} came to ${due}, and was reported as ${reported}`]
    })
  },
}

/** Every paid payment at the processor belongs to one purchase here, or the owner got `payment.unexpected`. */
export const PAYMENTS_BELONG: Invariant = {
  name: 'payments belong',
  faults: ({ company: { records }, processorState: { sales }, purchases, events }) =>
    records('payments')
      .filter(({ status, amount }) => status === 'paid' && amount > 0)
      .flatMap(({ id }) => {
        const paidFor = sales.filter(({ paid }) => paid.includes(id)).map(({ processorId }) => processorId)
        const count = purchases.filter(({ processorId }) => paidFor.includes(processorId)).length
        const isAlarmed = events.some(({ type, data }) => type === UNEXPECTED && data.payment?.processor_id === id)
        return count === 1 || isAlarmed ? [] : [`payment ${id} is of ${count} purchases here`]
      }),
}

const UNEXPECTED = 'payment.unexpected'

/** Nobody is charged twice for one period, unless the owner was warned of it. */
export const CHARGED_ONCE: Invariant = {
  name: 'charged once',
  faults(life) {
    const {
      company: { people, records },
      processorState: { sales },
      purchases,
      events,
      known: { isQuiet },
    } = life
    const alarmed = new Set(
      events.flatMap(({ type, data: { checkout, subscription } }) => [
        ...(checkout?.duplicate_of ? [checkout.purchase_id] : []),
        ...(type === 'subscription.stop_failed' && subscription ? [subscription.id] : []),
      ]),
    )
    const isAlarmed = (sale: Sale) =>
      purchases.some(({ id, processorId }) => processorId === sale.processorId && alarmed.has(id))
    const renewing = sales.filter((sale) => sale.isSubscription && sale.renews && sale.begun && !isAlarmed(sale))
    const wasReplaced = people.some(({ replaces }) => replaces)
    const periods = records('invoices')
      .filter(({ status, amount }) => status === 'paid' && amount > 0)
      // A change of plan can begin a period in the same second as another one; one of the quantity may be charged for the same period.
      .map(
        ({ subscription, price, quantity, periodStart, periodEnd }) =>
          `${subscription} at ${quantity} × ${price.id} from ${periodStart} to ${periodEnd}`,
      )
    const active = records('subscriptions').filter(({ status }) => status === 'active').length
    return [
      ...people.flatMap(({ email, bought }) => {
        const own = renewing.filter(({ processorId }) => bought.has(processorId)).map(({ processorId }) => processorId)
        // After a merge, a purchase with the old address creates a new user, until a second merge.
        const users = own.map((id) => buyer(life, id))
        const isTwice = new Set(users).size < users.length
        return isTwice && (isQuiet || !wasReplaced) ? [`${own.length} subscriptions of ${email} renew`] : []
      }),
      ...periods
        .filter((period, place) => periods.indexOf(period) !== place)
        .map((period) => `${period} is paid twice`),
      ...(isQuiet ? people.flatMap((person) => outlived(life, person, renewing)) : []),
      ...sales.flatMap((sale) => overlappingPeriods(life, sale)),
      ...(active > sales.filter(({ isSubscription }) => isSubscription).length
        ? [`${active} subscriptions are active there, and fewer were sold`]
        : []),
    ]
  },
}

/** The user who bought something, as in the event of its checkout: a merge may have moved the purchase to another user since. */
function buyer({ purchases, events }: Case, processorId: string): string | null | undefined {
  const purchase = purchases.find((each) => each.processorId === processorId)
  const completed = events.find(({ data }) => purchase && data.checkout?.purchase_id === purchase.id)
  return completed?.data.user.id ?? purchase?.member.userId
}

/**
 * The subscriptions that renew although their buyer later made a lifetime purchase that was to replace them. Left out are subscriptions
 * first paid for less than an hour before that payment began, or later: they may be newer, or their bank transfer may have taken days. Also
 * left out are purchases with a refund or dispute: if the money was gone when the purchase first became known, it replaced nothing,
 * even if the money came back.
 */
function outlived(
  { company, processorState: { sales }, purchases }: Case,
  { bought, orders }: Person,
  renewing: Sale[],
) {
  const firstPeriod = (id: string) => sales.find(({ processorId }) => processorId === id)?.paidPeriods[0]
  const hasReversal = (id: string) => {
    const paid = sales.find(({ processorId }) => processorId === id)?.paid ?? []
    return [...company.records('refunds'), ...company.records('disputes')].some(({ payment }) => paid.includes(payment))
  }
  const own = purchases.filter(({ processorId }) => bought.has(processorId))
  const forEver = own
    .filter(({ interval, status, url }) => interval === null && status === 'active' && orders.get(url ?? '')?.replaces)
    .filter(({ processorId }) => !hasReversal(processorId))
  return renewing.flatMap(({ processorId }) => {
    const { member } = own.find((each) => each.processorId === processorId) ?? {}
    const newer = forEver.find(
      (each) =>
        each.member === member &&
        (firstPeriod(processorId)?.paidAt ?? Infinity) + HOUR_SECONDS < (firstPeriod(each.processorId)?.start ?? 0) &&
        !isUndoneAfter(company, processorId, firstPeriod(each.processorId)?.paidAt ?? 0),
    )
    return newer ? [`${processorId} renews, and ${newer.processorId} was to replace it`] : []
  })
}

/**
 * The periods of a subscription that begin more than a day before the previous one ends. A change of plan begins a period of another length
 * at once, or is charged for the rest of the current one.
 */
function overlappingPeriods({ company: { life } }: Case, { processorId, isSubscription, paidPeriods }: Sale): string[] {
  if (!isSubscription) return []
  const changesPlan = life.steps.some((step) => step?.act === 'change-plan')
  return paidPeriods
    .filter(({ start, interval, unitAmount, quantity }, place) => {
      const before = paidPeriods[place - 1]
      const isSamePlan =
        before?.interval === interval && before.unitAmount === unitAmount && before.quantity === quantity
      const isChange = changesPlan && !isSamePlan
      return !isChange && start + DAY_SECONDS < (before?.end ?? 0)
    })
    .map(({ start }) => `${processorId} was charged from ${isoTime(start)} on, in the middle of a paid period`)
}
