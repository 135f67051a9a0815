import type { Account, Acts } from '../../../dev/emulators/core/acts/acts.ts'
import type { RefundRecord } from '../../../dev/emulators/core/domain/money-records.ts'
import type { Emulators } from '../../../dev/emulators/emulators.ts'
import type { Credentials } from '../../../lib/processors/definitions.ts'
import type { ProcessorName } from '../../../lib/processors/processor-name.ts'
import type { Sale } from './sale.ts'

/** What the paywall of each processor sells. `local` is the monthly price in Germany, in euros. */
export type SoldAs = 'monthly' | 'plus' | 'yearly' | 'lifetime' | 'pack' | 'local'

/** A webhook as its processor's emulator shows it: `body` is what is sent, byte for byte. */
export interface Webhook {
  id: string
  body: string
  /** When it is sent, by the clock of the service. */
  at: Date
}

/** What the suite must know of a processor to test it, over the controls of its emulator. */
export interface Driver<Name extends ProcessorName = ProcessorName> {
  /** What the processor calls each price: its `processorPrice` in the paywall file. */
  prices: Readonly<Record<SoldAs, string>>
  /** The headers that prove who sent a webhook. */
  sign(webhook: Webhook, credentials: Credentials<Name>): Record<string, string>
  /** Such headers, made into those of another scheme that the processor, or one like it, has or had. */
  ofAnotherScheme(headers: Record<string, string>): Record<string, string>
  /** Whether a webhook says what it is about. If not, the processor is asked that first, and sends it again if it is down. */
  namesPurchases: boolean
  /** Whether its objects have versions, because what is read may be older than what a webhook has told. */
  readsMayBeStale: boolean
  /** Values that are new in enumerations to which it may add, by the names of fields that it shows. That it adds to these is UNVERIFIED. */
  newValues: Readonly<Record<string, string>>
  /** The path of a POST by which a page is opened; null: a page is a link, and no call opens it. */
  opensPage: RegExp | null
  /**
   * The response to a call which names an e-mail address that the processor does not take, by the call's path; null: it sells to
   * nobody without an address.
   */
  refusesEmail: { path: string; status: number; body: object } | null
  /** What was sold in an account. What can happen there is known to `actsOf`. */
  sold(emulator: Emulators[Name], account: Account<Name>): Sold
}

/** What was sold in an account, as its emulator has stored it. */
export interface Sold {
  /** What the processor has sold, the oldest first. */
  sales(): Sale[]
  /** The pages that were opened, if they are kept before they are paid, each by our checkout that it is of. */
  pages(): { checkoutId: string; isPaid: boolean }[]
  /** Money that a payer's bank took back, if a record of something else tells of it. */
  isTakenBack?(refund: RefundRecord): boolean
}

/** What can happen in an account, and what was sold there. */
export type There = Acts & Sold
