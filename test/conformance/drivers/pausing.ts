import type { ProcessorName } from '../../../lib/processors/processor-name.ts'
import type { Shop } from '../shop.ts'

/** Where an owner can pause a subscription: its buyer is charged no more until it goes on. */
const PAUSES = ['stripe', 'polar', 'chargebee'] as const

/** Where that can be one that is paid for. Stripe's are `paused` after a trial without a card. */
export const PAUSES_WHAT_IS_PAID = ['polar', 'chargebee'] as const

/** Where it may owe money by then. */
export const PAUSES_WHAT_IS_OWED = 'chargebee'

/** Where what is owed may stay unpaid for ever, by a setting of the owner's: it is charged no more, and may be paid all the same. */
const KEEPS_UNPAID = ['stripe'] as const

/** Where a one-time purchase exists while its money is on its way. Polar makes its order, and Freemius its licence, once that is there. */
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

/** Its charge fails, and is not tried again. */
export async function leaveUnpaid({ world, acquiring, there }: Shop, id: string): Promise<void> {
  if (!isIn(KEEPS_UNPAID, acquiring)) throw new Error(`nothing stays unpaid at ${acquiring}`)
  await there.failCharge(id)
  await world[acquiring].markUnpaid(id)
}
