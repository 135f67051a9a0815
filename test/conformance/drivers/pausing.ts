import type { ProcessorName } from '../../../lib/processors/processor-name.ts'
import type { Shop } from '../shop.ts'

/** Where an owner can pause a subscription: its buyer is not charged until it is resumed. */
const PAUSES = ['stripe', 'polar', 'chargebee'] as const

/** Where a paid subscription can be paused. Stripe's are `paused` only after a trial without a card. */
export const PAUSES_WHAT_IS_PAID = ['polar', 'chargebee'] as const

/** Where a paused subscription may owe money. */
export const PAUSES_WHAT_IS_OWED = 'chargebee'

/** Where an owner can choose that an unpaid subscription stays so for ever: it is not charged any more, but can still be paid. */
const KEEPS_UNPAID = ['stripe'] as const

/** Where a one-time purchase exists while its payment is processing. Polar creates its order, and Freemius its licence, only after that. */
const SELLS_UNPAID = ['stripe', 'chargebee', 'mollie'] as const

const isIn = <Name extends ProcessorName>(names: readonly Name[], name: ProcessorName): name is Name =>
  names.some((each) => each === name)

export const pauses = (acquiring: ProcessorName) => isIn(PAUSES, acquiring)
export const sellsUnpaid = (acquiring: ProcessorName) => isIn(SELLS_UNPAID, acquiring)
export const keepsUnpaid = (acquiring: ProcessorName) => isIn(KEEPS_UNPAID, acquiring)

/** The owner pauses a subscription there. */
export async function pause({ world, acquiring }: Shop, id: string): Promise<void> {
  if (!isIn(PAUSES, acquiring)) throw new Error(`nothing is paused at ${acquiring}`)
  await world[acquiring].pause(id)
}

/** Its charge fails, and is not retried. */
export async function leaveUnpaid({ world, acquiring, there }: Shop, id: string): Promise<void> {
  if (!isIn(KEEPS_UNPAID, acquiring)) throw new Error(`nothing stays unpaid at ${acquiring}`)
  await there.failCharge(id)
  await world[acquiring].markUnpaid(id)
}
