import type { AfterRetries } from '../../../dev/emulators/core/domain/dues.ts'
import type { Terms } from '../../../dev/emulators/core/domain/selling-records.ts'
import type { Emulators } from '../../../dev/emulators/emulators.ts'
import type { ProcessorName } from '../../../lib/processors/processor-name.ts'

/** What an owner has set up at the processor; what cannot be set there stays as it is. */
export interface Setup {
  terms: Terms | null
  /** What becomes of a subscription whose charges have all failed; null: what the processor does by itself. */
  afterRetries: AfterRetries | null
  /** How old what the processor's API reads may be. */
  lagSeconds: number
}

const RETRY_DAYS = [2, 5]

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
