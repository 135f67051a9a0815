import type { Sale } from '../../conformance/drivers/sale.ts'
import type { Law } from './case.ts'

/** No payment is told twice, and all are told that webhooks told us of. Not every attempt that failed is a payment's end. */
export const TOLD: Law = {
  name: 'payments told',
  faults({ company: { abilities }, truth: { payments }, events, heard: { everything } }) {
    const open = [
      ...['failed', 'dispute_lost', 'dispute_won'],
      ...(abilities.tellsOfDisputes ? [] : ['disputed']),
      // Of a refund that has failed when it is first heard of, nothing is told.
      ...(payments.refund_failed > 0 ? ['refunded', 'refund_failed'] : []),
    ]
    const toldAs = (kind: string) => events.filter(({ type }) => type === `payment.${kind}`).length
    const [refunds, toldRefunds] = [
      payments.refunded - payments.refund_failed,
      toldAs('refunded') - toldAs('refund_failed'),
    ]
    return [
      ...Object.entries(payments).flatMap(([kind, count]) => {
        const told = toldAs(kind)
        const isRight = everything && !open.includes(kind) ? told === count : told <= count
        return isRight ? [] : [`${told} payments were told as ${kind}, and there are ${count}`]
      }),
      ...(everything && toldRefunds !== refunds
        ? [`${toldRefunds} refunds were told that did not fail later, and there are ${refunds}`]
        : []),
    ]
  },
}

/** What the owner is told of money is what was paid, to the cent. */
export const AMOUNTS: Law = {
  name: 'amounts',
  faults({ company: { records }, events }) {
    const paid = records('payments')
      .filter(({ status, amount }) => status === 'paid' && amount > 0)
      .map(({ amount, currency }) => `${amount} ${currency.toUpperCase()}`)
    return events.flatMap(({ type, data: { payment } }) => {
      if (type !== 'payment.succeeded' || !payment) return []
      const place = paid.indexOf(`${payment.amount} ${payment.currency}`)
      if (place >= 0) paid.splice(place, 1)
      return place >= 0 ? [] : [`nobody paid ${payment.amount} ${payment.currency}`]
    })
  },
}

/** What a checkout came to is what was paid for it first, to the cent, and nothing for a trial. */
export const CHARGED: Law = {
  name: 'checkout amounts',
  faults: ({ company: { records }, truth: { sales }, events, shown }) =>
    events.flatMap(({ data: { checkout } }) => {
      const purchase = shown.find(({ id }) => id === checkout?.purchase_id)
      const sale = sales.find(({ processorId }) => processorId === purchase?.processorId)
      if (!checkout || !purchase || !sale) return []
      const first = records('payments').find(({ id }) => id === sale.paid[0])
      const amount = purchase.trial_end || sale.hadTrial ? 0 : (first?.amount ?? 0)
      return checkout.amount === amount
        ? []
        : [`${checkout.purchase_id} came to ${amount}, and was told as ${checkout.amount}`]
    }),
}

/** Every paid payment at the processor is of one purchase here, or the owner was told that it should not have been made. */
export const BELONGS: Law = {
  name: 'payments belong',
  faults: ({ company: { records }, truth: { sales }, shown, events }) =>
    records('payments')
      .filter(({ status, amount }) => status === 'paid' && amount > 0)
      .flatMap(({ id }) => {
        const paidFor = sales.filter(({ paid }) => paid.includes(id)).map(({ processorId }) => processorId)
        const count = shown.filter(({ processorId }) => paidFor.includes(processorId)).length
        const isAlarmed = events.some(({ type, data }) => type === UNEXPECTED && data.payment?.processor_id === id)
        return count === 1 || isAlarmed ? [] : [`payment ${id} is of ${count} purchases here`]
      }),
}

const UNEXPECTED = 'payment.unexpected'

/** Nobody is charged twice for one period, unless the owner was told that it may come to that. */
export const ONCE: Law = {
  name: 'charged once',
  faults({ company: { people, records }, truth: { sales }, shown, events, heard: { settled } }) {
    const alarmed = new Set(
      events.flatMap(({ type, data: { checkout, subscription } }) => [
        ...(checkout?.duplicate_of ? [checkout.purchase_id] : []),
        ...(type === 'subscription.stop_failed' && subscription ? [subscription.id] : []),
      ]),
    )
    const isAlarmed = (sale: Sale) =>
      shown.some(({ id, processorId }) => processorId === sale.processorId && alarmed.has(id))
    const renewing = sales.filter((sale) => sale.isSubscription && sale.renews && sale.begun && !isAlarmed(sale))
    const wasReplaced = people.some(({ replaces }) => replaces)
    const periods = records('invoices')
      .filter(({ status, amount }) => status === 'paid' && amount > 0)
      .map(({ subscription, periodStart }) => `${subscription} from ${periodStart}`)
    const active = records('subscriptions').filter(({ status }) => status === 'active').length
    return [
      ...people.flatMap(({ email, bought }) => {
        const own = renewing.filter(({ processorId }) => bought.has(processorId)).map(({ processorId }) => processorId)
        // Who was merged into another, and signs in by its address again, is somebody new.
        const users = own.map((id) => shown.find(({ processorId }) => processorId === id)?.member.userId)
        const isTwice = new Set(users).size < users.length
        return isTwice && (settled || !wasReplaced) ? [`${own.length} subscriptions of ${email} renew`] : []
      }),
      ...periods
        .filter((period, place) => periods.indexOf(period) !== place)
        .map((period) => `${period} is paid twice`),
      ...(active > sales.filter(({ isSubscription }) => isSubscription).length
        ? [`${active} subscriptions are active there, and fewer were sold`]
        : []),
    ]
  },
}
