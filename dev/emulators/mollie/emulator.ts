import type { Emulator } from '../core/emulator.ts'
import type { MollieEvent } from './objects/event.ts'

/** A local Mollie: its API for the official SDK, hosted checkout pages for people, signed webhooks for the service. */
export interface MollieEmulator extends Emulator<MollieEvent, unknown> {
  /** Mollie's objects over all accounts, as they are now. */
  readonly payments: MollieObject[]
  readonly subscriptions: MollieObject[]

  /** Completes an open payment's page before its money has arrived: it is `pending` until `resolvePayment`. */
  payLater(paymentId: string): Promise<MollieObject>
  /** The money of a pending payment, or of a bank transfer, arrives; with `fail` it does not. */
  resolvePayment(paymentId: string, options?: { fail?: boolean }): Promise<MollieObject>
  /** Closes the page of an open payment. */
  expire(paymentId: string): Promise<MollieObject>
  /** Refunds `amount`, decimal text in the payment's currency, or all that is left. Resolves to the refund. */
  refund(paymentId: string, amount?: string): Promise<MollieObject>
  /** The payer's bank takes the payment back. Resolves to the chargeback. */
  chargeback(paymentId: string): Promise<MollieObject>
  /**
   * Charges the subscription for its next payment date, as if that day had come: see `time.ts`. With `pending` the
   * money does not arrive before `resolvePayment`. Resolves to the payment.
   */
  renew(subscriptionId: string, options?: { fail?: boolean; pending?: boolean }): Promise<MollieObject>
  /** The mandate becomes invalid: the subscription is `suspended` and has no next payment date. */
  suspend(subscriptionId: string): Promise<MollieObject>
  /** Lets so many days pass for one subscription, by moving all its dates and its payments' into the past. */
  elapse(subscriptionId: string, days: number): Promise<MollieObject>
  /**
   * While true, the mandates made since it was set are `pending`, so no subscription can be created on them. Set to
   * false, it makes them valid.
   */
  slowMandates: boolean
  /** Forgets all idempotency keys, as Mollie does an hour after their use. */
  forgetKeys(): void
}

export type MollieObject = { id: string } & Record<string, unknown>
