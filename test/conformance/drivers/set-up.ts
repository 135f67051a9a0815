import type { AfterRetries } from '../../../dev/emulators/core/domain/dues.ts'
import type { Terms } from '../../../dev/emulators/core/domain/selling-records.ts'
import type { Emulators } from '../../../dev/emulators/emulators.ts'
import { DEFINITIONS } from '../../../lib/processors/definitions.ts'
import type { ProcessorName } from '../../../lib/processors/processor-name.ts'

/** The owner's settings at the processor; settings that it does not have are ignored. */
export interface Setup {
  terms: Terms | null
  /** What happens to a subscription whose charges have all failed; null: the processor's default. */
  afterRetries: AfterRetries | null
  /** How stale the processor's API reads may be. */
  lagSeconds: number
}

const RETRY_DAYS = [2, 5]

/** Whether the owner can set taxes and coupons there. */
export const hasTerms = (acquiring: ProcessorName) => acquiring !== 'mollie'

export async function setUp(
  emulator: Emulators[ProcessorName],
  paywallId: string,
  { terms, afterRetries, lagSeconds }: Setup,
): Promise<void> {
  if (terms && 'setTerms' in emulator) await emulator.setTerms(paywallId, terms)
  if (afterRetries && 'setDunning' in emulator) {
    await emulator.setDunning(paywallId, { retryDays: RETRY_DAYS, finally: afterRetries })
  }
  if (lagSeconds > 0 && 'setReplicaLag' in emulator) await emulator.setReplicaLag(paywallId, lagSeconds)
}

/** Sets discounts that the owner has made at the processor, besides those of the paywall file or instead of them; null: deleted. */
export async function setDiscounts(
  emulator: Emulators[ProcessorName],
  paywallId: string,
  discounts: Record<string, null>,
): Promise<void> {
  if ('setCoupons' in emulator) await emulator.setCoupons(paywallId, discounts)
  if ('setDiscounts' in emulator) await emulator.setDiscounts(paywallId, discounts)
}

/** Where taxes are an option, the shop has it: their percentage is 0 unless a test sets it. */
export const taxSettings = (acquiring: ProcessorName) =>
  DEFINITIONS[acquiring].checkoutOptions.switches.automatic_tax === 'per page' && { checkout: { automatic_tax: true } }
