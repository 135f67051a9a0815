import Stripe from 'stripe'
import { ProcessorError } from '../processor.ts'

/** What the SDK threw, told apart by what the caller can do about it; anything that is not Stripe's is given back. */
export function asProcessorError(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error
  const { kind, answered } = judge(error)
  // Stripe's message may quote an e-mail address: `code` and `param` say enough, the error itself stays out of the log.
  const what = [error.type, error.code, error.param].filter(Boolean).join(' ')
  return new ProcessorError('stripe', kind, `${what} (${error.statusCode ?? 'no answer'}, ${error.requestId ?? '-'})`, {
    answered,
  })
}

/** Whether Stripe refused a call because it names a customer that the account does not have. */
export function isMissingCustomer(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    error.code === 'resource_missing' &&
    error.param === 'customer'
  )
}

function judge(error: Stripe.errors.StripeError): Pick<ProcessorError, 'kind' | 'answered'> {
  const { errors } = Stripe
  if (error instanceof errors.StripeConnectionError) return { kind: 'unavailable', answered: false }
  // 409: a call with the same key is still running there. What came of it is not known yet.
  if (error.statusCode === 409) return { kind: 'unavailable', answered: false }
  if (error instanceof errors.StripeRateLimitError) return { kind: 'unavailable', answered: true }
  if (error instanceof errors.StripeAuthenticationError || error instanceof errors.StripePermissionError) {
    return { kind: 'misconfigured', answered: true }
  }
  // A 5xx is stored under its idempotency key and replayed for a day: only another key gets another answer.
  if ((error.statusCode ?? 500) >= 500) return { kind: 'unavailable', answered: true }
  return { kind: 'rejected', answered: true }
}
