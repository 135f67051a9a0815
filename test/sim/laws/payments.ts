import type { Law } from './case.ts'

/** No payment is told twice, and all are told that webhooks told us of. Not every attempt that failed is a payment's end. */
export const TOLD: Law = {
  name: 'payments told',
  faults({ company: { abilities }, truth: { payments }, events, heard: { everything } }) {
    const open = ['failed', ...(abilities.tellsOfDisputes ? [] : ['disputed'])]
    return Object.entries(payments).flatMap(([kind, count]) => {
      const told = events.filter(({ type }) => type === `payment.${kind}`).length
      const isRight = everything && !open.includes(kind) ? told === count : told <= count
      return isRight ? [] : [`${told} payments were told as ${kind}, and there are ${count}`]
    })
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

/** Every paid payment at the processor is of one purchase here. */
export const BELONGS: Law = {
  name: 'payments belong',
  faults: ({ company: { records }, truth: { sales }, shown }) =>
    records('payments')
      .filter(({ status, amount }) => status === 'paid' && amount > 0)
      .flatMap(({ id }) => {
        const paidFor = sales.filter(({ paid }) => paid.includes(id)).map(({ processorId }) => processorId)
        const count = shown.filter(({ processorId }) => paidFor.includes(processorId)).length
        return count === 1 ? [] : [`payment ${id} is of ${count} purchases here`]
      }),
}

/** Nobody is charged twice for one period. */
export const ONCE: Law = {
  name: 'charged once',
  faults({ company: { people, records }, truth: { sales } }) {
    const renewing = sales.filter(({ isSubscription, renews }) => isSubscription && renews)
    const periods = records('invoices')
      .filter(({ status, amount }) => status === 'paid' && amount > 0)
      .map(({ subscription, periodStart }) => `${subscription} from ${periodStart}`)
    const active = records('subscriptions').filter(({ status }) => status === 'active').length
    return [
      ...people.flatMap(({ email, bought }) => {
        const own = renewing.filter(({ processorId }) => bought.has(processorId))
        return own.length > 1 ? [`${own.length} subscriptions of ${email} renew`] : []
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
