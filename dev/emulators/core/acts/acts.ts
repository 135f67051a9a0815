import type { Credentials } from '../../../../lib/processors/definitions.ts'
import type { ProcessorName } from '../../../../lib/processors/processor-name.ts'
import type { AccountRecords } from './account-records.ts'

/**
 * What can happen at a processor without us: by time, by a bank, by its own portal or dashboard. A purchase is named by what we
 * know it by, the `processorId` of a `PurchaseSnapshot`. What its `Capabilities` deny, a processor lacks here. What cannot happen at
 * that moment is refused by an `EmulatorError` or a `Refused`.
 */
export interface Acts {
  /** The next period of a subscription begins and is paid. Of a trial: the first one that is paid. */
  renew(id: string): Promise<unknown>
  /** The next period begins, and its charge fails. */
  failCharge(id: string): Promise<unknown>
  /** The charge that failed last is made good, or the one after it is paid. */
  recover(id: string): Promise<unknown>
  /** Gives back some US cents of the latest payment of a purchase, or all that is left. */
  refund(id: string, cents?: number): Promise<unknown>
  /** The latest refund of a purchase, which was made, is sent back: where that happens. */
  failRefund?(id: string): Promise<unknown>
  /** The payer's bank takes the latest payment of a purchase back. */
  dispute(id: string): Promise<unknown>
  /** The bank decides the latest dispute of a purchase: for the seller, or against. */
  decideDispute?(id: string, wins: boolean): Promise<unknown>
  /** The buyer or the owner cancels a subscription there: it ends with its period. */
  cancel(id: string): Promise<unknown>
  /** The buyer changes the plan there: to the next one that the account sells in its currency, or to the one that is named. */
  changePlan?(id: string, price?: string): Promise<unknown>
  /** The same with the end of the period. */
  schedulePlan?(id: string, price?: string): Promise<unknown>
  /** Takes a cancellation back. */
  undo?(id: string): Promise<unknown>
  /** A subscription is charged no more until it goes on. */
  pause?(id: string): Promise<unknown>
  resume?(id: string): Promise<unknown>
  /** The owner ends a subscription there, in the middle of its period. */
  end?(id: string): Promise<unknown>
  /** The next period begins, and its charge is on its way: where that takes time. */
  rollOver?(id: string): Promise<unknown>
  /** What the buyer pays with is not valid any more: where that ends nothing and stops the charges. */
  suspend?(id: string): Promise<unknown>
  /** The money for a purchase that is on its way arrives, or does not; of no purchase in particular: the first that is on its way. */
  resolve(fails: boolean, id?: string): Promise<unknown>
}

/** The account at a processor that a paywall sells through. */
export interface Account<Name extends ProcessorName> {
  records: AccountRecords
  credentials: Credentials<Name>
  /** Its time, in unix seconds. */
  now(): number
}
