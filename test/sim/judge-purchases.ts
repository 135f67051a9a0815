import type { Sale } from '../conformance/drivers/sale.ts'
import type { UserState } from '../support/user-state.ts'
import type { Person } from './person.ts'
import type { Truth } from './truth.ts'

type Purchase = UserState['purchases'][number]

/** Where the purchases that the user endpoint shows are not those that the processor has. */
export async function purchaseFaults(person: Person, { sales }: Truth, { purchases }: UserState): Promise<string[]> {
  const shown = await byProcessorId(person, purchases)
  const missing = sales.filter(({ begun, processorId }) => begun && !shown.has(processorId))
  const unknown = [...shown].filter(
    ([id, { status }]) => status !== 'canceled' && !sales.some(({ processorId }) => processorId === id),
  )
  const renewing = sales.filter(({ isSubscription, renews }) => isSubscription && renews)
  const forgotten = purchases.filter(
    ({ id, status, cancel_at_period_end: ends }) => person.cancelled.has(id) && !ends && status !== 'canceled',
  )
  return [
    ...missing.map(({ processorId, status }) => `${processorId} is ${status} there and not here`),
    ...unknown.map(([id, { status }]) => `${id} is ${status} here and not there`),
    ...(renewing.length > 1 ? [`${renewing.length} subscriptions renew`] : []),
    ...forgotten.map(({ id }) => `the cancellation of ${id} was acknowledged and is gone`),
    ...sales.flatMap((sale) => {
      const purchase = shown.get(sale.processorId)
      return purchase ? differences(sale, purchase) : []
    }),
  ]
}

async function byProcessorId({ world, userId }: Person, purchases: Purchase[]): Promise<Map<string, Purchase>> {
  const { rows } = await world.database.query<{ id: string; processor_id: string }>(
    'select id, processor_id from purchases where user_id = $1',
    [userId],
  )
  const found = rows.flatMap(({ id, processor_id: processorId }) => {
    const purchase = purchases.find((each) => each.id === id)
    return purchase ? [[processorId, purchase] as const] : []
  })
  return new Map(found)
}

function differences(sale: Sale, purchase: Purchase): string[] {
  const { processorId: id, status, renews, periodEnd } = sale
  if (purchase.status !== status) return [`${id} is ${purchase.status} here and ${status} there`]
  if (!sale.isSubscription || !sale.begun || status === 'canceled') return []
  const ends = purchase.current_period_end ?? ''
  return [
    ...(purchase.cancel_at_period_end === renews ? [`${id} ${renews ? 'renews' : 'ends'} there, and not here`] : []),
    ...(periodEnd !== null && !ends.startsWith(periodEnd)
      ? [`${id} is paid until ${ends} here and ${periodEnd} there`]
      : []),
  ]
}
