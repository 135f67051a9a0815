import type { Credentials } from '../../../../lib/processors/definitions.ts'
import type { ProcessorName } from '../../../../lib/processors/processor-name.ts'
import type { AccountRecords } from './account-records.ts'

/**
 * What happens at a processor without our doing: through time, a bank, its portal or its dashboard. Purchases are named by the
 * `processorId` of a `PurchaseSnapshot`. Acts that the processor's `Capabilities` exclude are undefined. Throws an `EmulatorError` or
 * a `Refused` for an act that is not possible at the moment.
 */
export interface Acts {
  /** Begins the next period of a subscription, paid. After a trial it is the first paid one. */
  renew(id: string): Promise<unknown>
  /** Begins the next period, and its charge fails. */
  failCharge(id: string): Promise<unknown>
  /** Pays the charge that failed last, or the next one. */
  recover(id: string): Promise<unknown>
  /** Refunds some US cents of a purchase's latest payment, or all that is left. */
  refund(id: string, cents?: number): Promise<unknown>
  /** Fails the latest completed refund of a purchase, at processors where that happens. */
  failRefund?(id: string): Promise<unknown>
  /** The payer's bank disputes a purchase's latest payment. */
  dispute(id: string): Promise<unknown>
  /** The bank decides the latest dispute of a purchase; `wins`: the seller wins. */
  decideDispute?(id: string, wins: boolean): Promise<unknown>
  /** The buyer or the owner cancels a subscription there, at the end of its period. */
  cancel(id: string): Promise<unknown>
  /** The buyer changes the plan there: to `price`, or to the account's next one in the same currency. */
  changePlan?(id: string, price?: string): Promise<unknown>
  /** The same at the end of the period. */
  schedulePlan?(id: string, price?: string): Promise<unknown>
  /** Undoes a cancellation. */
  undo?(id: string): Promise<unknown>
  /** Stops charging a subscription until it is resumed. */
  pause?(id: string): Promise<unknown>
  resume?(id: string): Promise<unknown>
  /** The owner ends a subscription there immediately. */
  end?(id: string): Promise<unknown>
  /** Begins the next period with a pending charge, at processors where charges take time. */
  rollOver?(id: string): Promise<unknown>
  /** Invalidates the payment method, at processors where this stops the charges without ending the subscription. */
  suspend?(id: string): Promise<unknown>
  /** Completes or fails the pending payment of a purchase; without `id`, the oldest pending payment. */
  resolve(fails: boolean, id?: string): Promise<unknown>
}

/** The account at a processor that a paywall sells through. */
export interface Account<Name extends ProcessorName> {
  records: AccountRecords
  credentials: Credentials<Name>
  /** The account's time, in unix seconds. */
  now(): number
}
