import Stripe from 'stripe'
import { ProcessorError } from '../processor.ts'

/** Translates an error of the SDK by what the caller can do about it. Any other error is returned as it is. */
export function asProcessorError(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error
  const { kind, answered } = classify(error)
  // Stripe's message may quote an e-mail address, which must not get into the log; `code` and `param` say enough.
  const what = [error.type, error.code, error.param].filter(Boolean).join(' ')
  return new ProcessorError('stripe', kind, `${what} (${error.statusCode ?? 'no answer'}, ${error.requestId ?? '-'})`, {
    answered,
  })
}

/**
 * Whether Stripe refused a call because of the customer that it names: the account does not have it, or it has a subscription
 * or an open page in another currency, for which Stripe has a sentence and no code.
 */
export function isUnusableCustomer(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) return false
  return (
    (error.code === 'resource_missing' && error.param === 'customer') ||
    error.message.startsWith('You cannot combine currencies on a single customer')
  )
}

function classify(error: Stripe.errors.StripeError): Pick<ProcessorError, 'kind' | 'answered'> {
  const { errors } = Stripe
  if (error instanceof errors.StripeConnectionError) return { kind: 'unavailable', answered: false }
  // 409: a call with the same idempotency key is still running at Stripe, so its outcome is not known yet.
  if (error.statusCode === 409) return { kind: 'unavailable', answered: false }
  if (error instanceof errors.StripeRateLimitError) return { kind: 'unavailable', answered: true }
  if (error instanceof errors.StripeAuthenticationError || error instanceof errors.StripePermissionError) {
    return { kind: 'misconfigured', answered: true }
  }
  // Stripe stores a 5xx under its idempotency key and replays it for a day, so a repeat needs another key.
  if ((error.statusCode ?? 500) >= 500) return { kind: 'unavailable', answered: true }
  return { kind: 'rejected', answered: true }
}
