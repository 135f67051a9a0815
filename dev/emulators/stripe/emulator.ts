import type { Emulator } from '../core/emulator.ts'
import type { Form } from './form.ts'
import type { StripeEvent } from './objects/event.ts'

/**
 * A local Stripe: its API for the official SDK, hosted checkout and portal pages for people, signed webhooks for the
 * service.
 */
export interface StripeEmulator extends Emulator<StripeEvent, Form> {
  /** Stripe's objects over all accounts, as they are now. */
  readonly checkoutSessions: StripeObject[]
  readonly subscriptions: StripeObject[]

  /**
   * Completes a checkout session before its money has arrived, as a bank debit does: a one-time payment is `processing`
   * until `resolvePayment`; a subscription is `incomplete` until `renew` collects the money, or until `end` makes it
   * `incomplete_expired`. `email` is the payer's, where the session has none.
   */
  payLater(checkoutSessionId: string, email?: string): Promise<StripeObject>
  /** The bank decides about a one-time payment that is `processing`. */
  resolvePayment(paymentIntent: string, options?: { fail?: boolean }): Promise<StripeObject>
  /** Begins the next period, which is not paid yet: see `renewals.ts`. */
  rollOver(subscriptionId: string): Promise<StripeObject>
  /** Charges the unpaid invoice; if there is none, rolls over first. */
  renew(subscriptionId: string, options?: { fail?: boolean }): Promise<StripeObject>
  /** A past due subscription becomes `unpaid`: Stripe tries no more, but `renew` can still collect the money. */
  markUnpaid(subscriptionId: string): Promise<StripeObject>
  /** Ends a subscription now. */
  end(subscriptionId: string): Promise<StripeObject>
  trialWillEnd(subscriptionId: string): Promise<StripeObject>
  /** The customer cancels in Stripe's own portal: `cancel_at` is set and `cancel_at_period_end` stays false. */
  portalCancel(subscriptionId: string): Promise<StripeObject>
  /** The customer takes a cancellation back in Stripe's own portal. */
  portalUndo(subscriptionId: string): Promise<StripeObject>
  /** Refunds `amount` minor units, or all that is left of the payment. */
  refund(paymentIntent: string, amount?: number): Promise<StripeObject>
  dispute(paymentIntent: string): Promise<StripeObject>
}

export type StripeObject = { id: string } & Record<string, unknown>
