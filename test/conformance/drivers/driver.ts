import type { Account, Acts } from '../../../dev/emulators/core/acts/acts.ts'
import type { RefundRecord } from '../../../dev/emulators/core/domain/money-records.ts'
import type { Emulators } from '../../../dev/emulators/emulators.ts'
import type { Credentials } from '../../../lib/processors/definitions.ts'
import type { ProcessorName } from '../../../lib/processors/processor-name.ts'
import type { Sale } from './sale.ts'

/** What the paywall of each processor sells. `local` is the monthly price in Germany, in euros. */
export type SoldAs = 'monthly' | 'plus' | 'yearly' | 'lifetime' | 'pack' | 'local'

/** A webhook of a processor's emulator; `body` is exactly what is sent. */
export interface Webhook {
  id: string
  body: string
  /** When it is sent, by the service's clock. */
  at: Date
}

/** What the suite needs to test a processor, on top of the controls of its emulator. */
export interface Driver<Name extends ProcessorName = ProcessorName> {
  /** The processor's id of each price: its `processorPrice` in the paywall file. */
  prices: Readonly<Record<SoldAs, string>>
  /** The headers that authenticate a webhook. */
  sign(webhook: Webhook, credentials: Credentials<Name>): Record<string, string>
  /** The same headers in another scheme that this processor, or a similar one, has or had. */
  ofAnotherScheme(headers: Record<string, string>): Record<string, string>
  /** Whether a webhook says what it is about. If not, we ask the processor first, and it sends the webhook again if it is down. */
  namesPurchases: boolean
  /** Whether its objects have versions, because a read may be older than a webhook that arrived before it. */
  readsMayBeStale: boolean
  /** New values of its open enumerations, by field. That it adds values to these is UNVERIFIED. */
  newValues: Readonly<Record<string, string>>
  /** The path of the POST that opens a page; null: a page is a link, and no call opens it. */
  opensPage: RegExp | null
  /**
   * The response to a call with an e-mail address that the processor rejects, by the call's path; null: it requires
   * an address.
   */
  refusesEmail: { path: string; status: number; body: object } | null
  /** What was sold in an account. `actsFor` knows what can happen there. */
  sold(emulator: Emulators[Name], account: Account<Name>): Sold
}

/** What was sold in an account, as its emulator has stored it. */
export interface Sold {
  /** What the processor has sold, oldest first. */
  sales(): Sale[]
  /** The pages that were opened, if they are stored before they are paid, each by its checkout's id. */
  pages(): { checkoutId: string; isPaid: boolean }[]
  /** Money that a payer's bank took back, if a separate record reports it. */
  isTakenBack?(refund: RefundRecord): boolean
}

/** What can happen in an account, and what was sold there. */
export type There = Acts & Sold
