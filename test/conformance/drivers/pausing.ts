import type { ProcessorName } from '../../../lib/processors/processor-name.ts'
import type { Shop } from '../shop.ts'

/** Processors where an owner can pause a subscription: it is not charged until it is resumed. */
const PAUSES = ['stripe', 'polar', 'chargebee'] as const

/** Processors where a paid subscription can be paused. At Stripe only one without a card becomes `paused`, after its trial. */
export const PAUSES_PAID = ['polar', 'chargebee'] as const

/** The processor where a paused subscription may owe money. */
export const PAUSES_PAST_DUE = 'chargebee'

/** The processor where a subscription may stay active although its retries have ended and its invoice is still owed. */
export const KEEPS_PAST_DUE = 'chargebee'

/** Processors where an owner can leave subscriptions unpaid: they are not charged any more, but can still be paid. */
const KEEPS_UNPAID = ['stripe'] as const

/** Processors where a one-time purchase exists while its payment is processing. Polar and Freemius create it after the payment. */
const SELLS_UNPAID = ['stripe', 'chargebee', 'mollie'] as const

/** Whether the payment of a one-time purchase may be processing. */
export const awaitsOneTimePayments = (acquiring: ProcessorName) => acquiring !== 'freemius'

const isIn = <Name extends ProcessorName>(names: readonly Name[], name: ProcessorName): name is Name =>
  names.some((each) => each === name)

export const pauses = (acquiring: ProcessorName) => isIn(PAUSES, acquiring)
export const sellsUnpaid = (acquiring: ProcessorName) => isIn(SELLS_UNPAID, acquiring)
export const keepsUnpaid = (acquiring: ProcessorName) => isIn(KEEPS_UNPAID, acquiring)

/** Pauses a subscription at the processor, as its owner. */
export async function pause({ world, acquiring }: Shop, id: string): Promise<void> {
  if (!isIn(PAUSES, acquiring)) throw new Error(`${acquiring} cannot pause subscriptions`)
  await world[acquiring].pause(id)
}

/** Makes the charge of a subscription fail without retries. */
export async function leaveUnpaid({ world, acquiring, account }: Shop, id: string): Promise<void> {
  if (!isIn(KEEPS_UNPAID, acquiring)) throw new Error(`${acquiring} cannot leave subscriptions unpaid`)
  await account.failCharge(id)
  await world[acquiring].markUnpaid(id)
}
