import { isoTime, type Sale } from '../../conformance/drivers/sale.ts'
import type { Person } from '../person.ts'
import { type Case, findOrder, type Invariant, type StoredPurchase } from './case.ts'

/** No payment is reported twice, and each that a webhook reported is, though not each of its failed attempts. */
export const TOLD: Invariant = {
  name: 'payments reported',
  faults({ company: { capabilities }, truth: { payments }, events, known: { everything } }) {
    const open = [
      'failed',
      ...(capabilities.sendsDisputeWebhook ? [] : ['disputed', 'dispute_lost', 'dispute_won']),
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
        const isRight = everything && !open.includes(kind) ? reported === count : reported <= count
        return isRight ? [] : [`${reported} payments were reported as ${kind}, and there are ${count}`]
      }),
      ...(everything && reportedRefunds !== refunds
        ? [`${reportedRefunds} refunds were reported that did not fail later, and there are ${refunds}`]
        : []),
    ]
  },
}

/** Payment events have the amounts paid, to the cent, and a price that was sold, the same in all events of a payment. */
export const AMOUNTS: Invariant = {
  name: 'amounts',
  faults({ company, events, purchases }) {
    const paid = company
      .records('payments')
      .filter(({ status, amount }) => status === 'paid' && amount > 0)
      .map(({ amount, currency }) => `${amount} ${currency.toUpperCase()}`)
    const reported = events.flatMap(({ data: { payment } }) => (payment ? [payment] : []))
    const named = new Map(reported.map(({ id, price_slug: slug }) => [id, slug]))
    const renamed = reported.filter(({ id, price_slug: slug }) => slug !== named.get(id))
    const amiss = events.flatMap(({ type, data: { payment } }) => {
      if (type !== 'payment.succeeded' || !payment) return []
      const purchase = purchases.find(({ id }) => id === payment.purchase_id)
      const order = findOrder(company, purchase)
      const slugs = [order?.slug, ...(purchase?.changes ?? []).map(({ is }) => is.price_slug)]
      const place = paid.indexOf(`${payment.amount} ${payment.currency}`)
      if (place >= 0) paid.splice(place, 1)
      return [
        ...(place >= 0 ? [] : [`nobody paid ${payment.amount} ${payment.currency}`]),
        ...(!order || slugs.includes(payment.price_slug) ? [] : [`${payment.price_slug} was paid for, not ${slugs}`]),
      ]
    })
    return [
      ...amiss,
      ...renamed.map(({ id, price_slug: slug }) => `payment ${id} has the price ${named.get(id)}, and ${slug}`),
    ]
  },
}

/** Refunds are reported to the cent, with the total refunded so far. */
export const WENT_BACK: Invariant = {
  name: 'money back',
  faults({ company: { records, account }, events }) {
    const reported = events.flatMap(({ type, data: { payment } }) =>
      payment ? [{ kind: type.split('.')[1]!, payment }] : [],
    )
    const takenBack = records('refunds').filter((refund) => account.isTakenBack?.(refund))
    const getAmounts = (back: { payment: string; amount: number }[]) =>
      back.map(({ payment, amount }) => {
        const paid = records('payments').find(({ id }) => id === payment)
        return `${amount} ${paid?.currency.toUpperCase()}`
      })
    const due = {
      refunded: getAmounts(records('refunds')),
      disputed: getAmounts([...records('disputes'), ...takenBack]),
      dispute_lost: getAmounts([...records('disputes'), ...takenBack]),
    }
    const invented = reported.filter(({ kind, payment: { amount, currency } }) => {
      const amounts = due[kind as keyof typeof due]
      const place = amounts?.indexOf(`${amount} ${currency}`) ?? 0
      amounts?.splice(place, 1)
      return place < 0
    })
    const payments = Map.groupBy(reported, ({ payment }) => payment.id)
    return [
      ...invented.map(({ kind, payment: { amount, id } }) => `nothing of ${amount} of ${id} is ${kind}`),
      ...[...payments.values()].flatMap(faultsOfTotal),
    ]
  },
}

type ToldPayment = NonNullable<Case['events'][number]['data']['payment']>

/** The last event of a payment has the total that went back, to which all its events add up. */
function faultsOfTotal(reported: { kind: string; payment: ToldPayment }[]): string[] {
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

/** What a checkout came to is what was paid for it first, to the cent, and nothing for a trial; for what its page was opened to sell. */
export const CHARGED: Invariant = {
  name: 'checkout amounts',
  faults: ({ company, truth: { sales }, events, purchases }) =>
    events.flatMap(({ data: { checkout } }) => {
      const purchase = purchases.find(({ id }) => id === checkout?.purchase_id)
      const sale = purchase && getSale(sales, purchase)
      const order = findOrder(company, purchase)
      if (!checkout || !sale || !order) return []
      const first = company.records('payments').find(({ id }) => id === sale.paid[0])
      const amount = purchase.trial_end || sale.hadTrial ? 0 : (first?.amount ?? 0)
      const due = `${order.slug} for ${amount} ${order.currency}`
      const reported = `${checkout.price_slug} for ${checkout.amount} ${checkout.currency}`
      return reported === due ? [] : [`${checkout.purchase_id} came to ${due}, and was reported as ${reported}`]
    }),
}

/** Every paid payment at the processor belongs to one purchase here, or the owner got `payment.unexpected`. */
export const BELONGS: Invariant = {
  name: 'payments belong',
  faults: ({ company: { records }, truth: { sales }, purchases, events }) =>
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
export const ONCE: Invariant = {
  name: 'charged once',
  faults(life) {
    const {
      company: { people, records },
      truth: { sales },
      purchases,
      events,
      known: { settled },
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
      // A change of plan can begin a period in the second in which another began.
      .map(({ subscription, periodStart, periodEnd }) => `${subscription} from ${periodStart} to ${periodEnd}`)
    const active = records('subscriptions').filter(({ status }) => status === 'active').length
    return [
      ...people.flatMap(({ email, bought }) => {
        const own = renewing.filter(({ processorId }) => bought.has(processorId)).map(({ processorId }) => processorId)
        // Who was merged into another, and buys by its address again, is somebody new, until a second merge.
        const users = own.map((id) => buyer(life, id))
        const isTwice = new Set(users).size < users.length
        return isTwice && (settled || !wasReplaced) ? [`${own.length} subscriptions of ${email} renew`] : []
      }),
      ...periods
        .filter((period, place) => periods.indexOf(period) !== place)
        .map((period) => `${period} is paid twice`),
      ...(settled ? people.flatMap((person) => outlived(life, person, renewing)) : []),
      ...(settled ? purchases.flatMap((each) => chargedAfterReplacement(life, each)) : []),
      ...sales.flatMap((sale) => overlappingPeriods(life, sale)),
      ...(active > sales.filter(({ isSubscription }) => isSubscription).length
        ? [`${active} subscriptions are active there, and fewer were sold`]
        : []),
    ]
  },
}

/** The user who bought something, as the owner was notified when it was bought: a merge may have given it to another since. */
function buyer({ purchases, events }: Case, id: string): string | null | undefined {
  const purchase = purchases.find(({ processorId }) => processorId === id)
  const completed = events.find(({ data }) => purchase && data.checkout?.purchase_id === purchase.id)
  return completed?.data.user.id ?? purchase?.member.userId
}

/**
 * The subscriptions that renew although their buyer has later bought, for ever, what was to replace them. Those that were paid for less than
 * an hour before its payment began may be newer, though a transfer may take days. Money that came back may have been away when the purchase first
 * became known: then it replaced nothing.
 */
function outlived({ company, truth: { sales }, purchases }: Case, { bought, orders }: Person, renewing: Sale[]) {
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

const HOUR_SECONDS = 3_600

/** Whether a buyer has undone the end of a subscription since a time, in unix seconds: the buyer wants to be charged. */
const isUndoneAfter = ({ undone }: Case['company'], processorId: string, at: number) =>
  (undone.get(processorId) ?? 0) > at

/**
 * What was charged for a subscription after its buyer had paid for what was to replace it, without a warning to the owner. Whatever was first
 * paid for less than an hour before that may be the newer one, though a transfer may take days.
 */
function chargedAfterReplacement(
  { company, truth: { sales }, purchases, events, known }: Case,
  newer: StoredPurchase,
): string[] {
  const paidAt = getSale(sales, newer)?.paidPeriods[0]?.paidAt
  if (!findOrder(company, newer)?.replaces || newer.trial_end !== null || paidAt === undefined) return []
  return purchases.flatMap((older) => {
    const sale = getSale(sales, older)
    if (older.member !== newer.member || older.interval === null || !sale) return []
    const [first] = sale.paidPeriods
    if (!first || first.paidAt + HOUR_SECONDS > paidAt) return []
    // If the webhook of a charge may be lost and reads include no payments, it is certain only that none is made after the stop.
    const isCertain = known.everything || company.capabilities.readsIncludePayments
    const from = isCertain
      ? paidAt
      : isUndoneAfter(company, older.processorId, paidAt)
        ? Infinity
        : stoppedAfter(older, paidAt)
    const late = sale.paidPeriods.filter((period) => period.paidAt > from)
    const warnings = events.filter(({ type, data }) => type === UNEXPECTED && data.payment?.purchase_id === older.id)
    return late.length > warnings.length
      ? [`${older.processorId} was charged ${late.length} times after ${newer.processorId} had replaced it`]
      : []
  })
}

/** When a subscription was first reported to end or to have ended, at `at` or later; times in unix seconds. */
function stoppedAfter({ changes }: StoredPurchase, at: number): number {
  const stop = changes.find(
    (each) => each.at >= at * 1000 && (each.is.cancel_at_period_end || each.is.status === 'canceled'),
  )
  return stop ? stop.at / 1000 : Infinity
}

const getSale = (sales: Sale[], { processorId }: StoredPurchase) =>
  sales.find((sale) => sale.processorId === processorId)

/** Steps that charge before time, or for another plan in the middle of a period. */
const CHARGING_EARLY = ['renew', 'roll-over', 'change-plan']

/** The periods of a subscription that begin more than a day before the one before them ends. */
function overlappingPeriods({ company: { life } }: Case, { processorId, isSubscription, paidPeriods }: Sale): string[] {
  if (!isSubscription || life.steps.some((step) => step && CHARGING_EARLY.includes(step.act))) return []
  return paidPeriods
    .filter(({ start }, place) => start + DAY_SECONDS < (paidPeriods[place - 1]?.end ?? 0))
    .map(({ start }) => `${processorId} was charged from ${isoTime(start)} on, in the middle of a paid period`)
}

const DAY_SECONDS = 86_400
