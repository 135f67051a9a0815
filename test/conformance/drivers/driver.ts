import type { Account, Acts } from '../../../dev/emulators/core/acts/acts.ts'
import type { RefundRecord } from '../../../dev/emulators/core/domain/money-records.ts'
import type { Emulators } from '../../../dev/emulators/emulators.ts'
import type { Credentials } from '../../../lib/processors/definitions.ts'
import type { ProcessorName } from '../../../lib/processors/processor-name.ts'
import type { Sale } from './sale.ts'

/** What the paywall of each processor sells. `local` is the monthly price in Germany, in euros. */
export type SoldAs = 'monthly' | 'plus' | 'yearly' | 'lifetime' | 'pack' | 'local'

/** A webhook of a processor's emulator; `body` is sent as it is. */
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
  /** The same headers in another signature scheme of this processor or a similar one. */
  otherScheme(headers: Record<string, string>): Record<string, string>
  /** Whether a webhook identifies its purchase. If not, we read it from the processor, which repeats the webhook if that fails. */
  namesPurchases: boolean
  /** Whether its objects have versions, because a read may return older data than a webhook that arrived before. */
  readsMayBeStale: boolean
  /** New values of its open enumerations, by field. UNVERIFIED: that it adds values to these. */
  newValues: Readonly<Record<string, string>>
  /** The path of the POST that opens a page; null: a page is a link, so there is no call. */
  opensPage: RegExp | null
  /**
   * The response to a call with an e-mail address that the processor rejects, by the call's path; null: it requires
   * an address.
   */
  refusesEmail: { path: string; status: number; body: object } | null
  /** See `actsFor` for what can happen in the account. */
  accountReader(emulator: Emulators[Name], account: Account<Name>): AccountReader
}

/** Reads from an emulator what was sold in an account. */
export interface AccountReader {
  /** All sales, oldest first. */
  sales(): Sale[]
  /** The opened pages with the ids of their checkouts; empty if pages are not stored before they are paid. */
  pages(): { checkoutId: string; isPaid: boolean }[]
  /** The language that the page at a URL was asked for, as the processor writes it; null: none. */
  pageLocale(url: string): string | null
  /** Whether a refund is a chargeback, if the processor records chargebacks as refunds. */
  isTakenBack?(refund: RefundRecord): boolean
}

/** What can happen in an account, and what was sold there. */
export type AccountControls = Acts & AccountReader
