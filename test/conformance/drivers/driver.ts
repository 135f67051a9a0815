import type { RefundRecord } from '../../../dev/emulators/core/domain/money-records.ts'
import type { Emulators } from '../../../dev/emulators/emulators.ts'
import type { Acquiring } from '../../../lib/processors/acquiring.ts'
import type { Credentials } from '../../../lib/processors/definitions.ts'
import type { AccountRecords } from './records.ts'
import type { Sale } from './sale.ts'

/** What the paywall of each processor sells. `local` is the monthly price in Germany, in euros. */
export type SoldAs = 'monthly' | 'yearly' | 'lifetime' | 'local'

/** A webhook as its processor's emulator shows it: `body` is what is sent, byte for byte. */
export interface Webhook {
  id: string
  body: string
  /** When it is sent, by the clock of the service. */
  at: Date
}

/** What the suite must know of a processor to test it, over the controls of its emulator. */
export interface Driver<Name extends Acquiring = Acquiring> {
  /** What the processor calls each price: its `processorPrice` in the paywall file. */
  prices: Readonly<Record<SoldAs, string>>
  /** The headers that prove who sent a webhook. */
  sign(webhook: Webhook, credentials: Credentials<Name>): Record<string, string>
  /** Such headers, made into those of another scheme that the processor, or one like it, has or had. */
  ofAnotherScheme(headers: Record<string, string>): Record<string, string>
  /** The path of a POST by which a page is opened; null: a page is a link, and no call opens it. */
  opensPage: RegExp | null
  /** What can happen in an account. */
  there(emulator: Emulators[Name], account: Account<Name>): There
}

interface Account<Name extends Acquiring> {
  records: AccountRecords
  credentials: Credentials<Name>
  /** Its time, in unix seconds. */
  now(): number
}

/**
 * What can happen at a processor without us: by time, by a bank, by its own portal or dashboard. A purchase is named by
 * what we know it by, the `processorId` of a `PurchaseSnapshot`. What its `Abilities` deny, a processor lacks here.
 */
export interface There {
  /** The next period of a subscription begins and is paid. Of a trial: the first one that is paid. */
  renew(id: string): Promise<unknown>
  /** The next period begins, and its charge fails. */
  failCharge(id: string): Promise<unknown>
  /** The charge that failed last is made good, or the one after it is paid. */
  recover(id: string): Promise<unknown>
  /** Gives back some US cents of the latest payment of a purchase, or all that is left. */
  refund(id: string, cents?: number): Promise<unknown>
  /** The payer's bank takes the latest payment of a purchase back. */
  dispute(id: string): Promise<unknown>
  /** The buyer or the owner cancels a subscription there: it ends with its period. */
  cancel(id: string): Promise<unknown>
  /** Takes a cancellation back. */
  undo?(id: string): Promise<unknown>
  /** The owner ends a subscription there, in the middle of its period. */
  end?(id: string): Promise<unknown>
  /** The next period begins, and its charge is on its way: where that takes time. */
  rollOver?(id: string): Promise<unknown>
  /** What the buyer pays with is not valid any more: where that ends nothing and stops the charges. */
  suspend?(id: string): Promise<unknown>
  /** The first money that is on its way arrives, or does not. */
  resolve(fails: boolean): Promise<unknown>
  /** What the processor has sold, the oldest first. */
  sales(): Sale[]
  /** The pages that were opened, if they are kept before they are paid, each by our checkout that it is of. */
  pages(): { checkoutId: string; isPaid: boolean }[]
  /** Money that a payer's bank took back, if a record of something else tells of it. */
  isTakenBack?(refund: RefundRecord): boolean
}
