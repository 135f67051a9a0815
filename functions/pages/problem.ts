import type { Refused } from './call-api.ts'
import { EN, type Texts } from './texts/en.ts'

/** The message for a visitor about another Worker's refusal. An unknown error is reported as a failure on our side. */
export function messageFor(
  { status, error, retryAfter, reason }: Pick<Refused, 'status' | 'error' | 'retryAfter' | 'reason'>,
  texts: Texts,
): string {
  if (error === 'invalid_offer') return offerProblem(reason, texts)
  const known = Object.hasOwn(MESSAGES, error) ? MESSAGES[error] : undefined
  if (known) return texts[known]
  if (status === 429) return texts.tryLater(Math.ceil((retryAfter ?? 60) / 60))
  return texts.failed
}

/** Why the visitor does not get an offer. An unknown reason is reported as a failure on our side. */
function offerProblem(reason: string | undefined, { offerProblems, failed }: Texts): string {
  return isOfferProblem(reason) ? offerProblems[reason] : failed
}

const isOfferProblem = (reason: string | undefined): reason is keyof Texts['offerProblems'] =>
  reason !== undefined && Object.hasOwn(EN.offerProblems, reason)

/** The keys of texts without parameters. */
type Message = keyof { [Key in keyof Texts as Texts[Key] extends string ? Key : never]: true }

/** By the API's `error`. */
const MESSAGES: Readonly<Record<string, Message>> = {
  active_purchase: 'activePurchase',
  price_not_found: 'priceGone',
  not_found: 'notFoundText',
  paywall_not_found: 'notFoundText',
  forged: 'forged',
  session_ended: 'sessionEnded',
  processor_unavailable: 'processorUnavailable',
  processor_rejected: 'processorRejected',
  processor_misconfigured: 'processorRejected',
  'Subscription is already cancelled': 'alreadyCancelled',
  portal_unavailable: 'noPortal',
  payment_not_found: 'notFoundText',
  receipt_not_found: 'noReceipt',
  receipt_pending: 'receiptLate',
  payment_declined: 'paymentDeclined',
  quote_expired: 'quoteExpired',
  currency_mismatch: 'otherCurrency',
  subscription_not_changeable: 'fixedPlan',
  subscription_cancelled: 'cancelledPlan',
  plan_change_unavailable: 'fixedPlan',
  subscription_not_running: 'outdated',
  subscription_discounted: 'otherDiscount',
  price_unchanged: 'outdated',
  'Subscription not found': 'outdated',
  'Invalid email format': 'wrongEmail',
  'Email is required': 'wrongEmail',
  email_required: 'wrongEmail',
  code_required: 'wrongCode',
  invalid_code: 'wrongCode',
  invalid_grant: 'wrongCode',
  challenge_required: 'wrongCode',
  captcha_failed: 'captchaNeeded',
  captcha_misconfigured: 'captchaUnavailable',
  captcha_unavailable: 'captchaUnavailable',
  invalid_payload: 'ticketTexts',
  subject_length: 'ticketTexts',
  content_length: 'ticketTexts',
  too_many_files: 'wrongImages',
  invalid_file: 'wrongImages',
  payload_too_large: 'tooLarge',
  'Invalid code': 'wrongDiscountCode',
  idempotency_key_reused: 'outdated',
  unknown_action: 'outdated',
  checkout_in_progress: 'unavailable',
  plan_change_in_progress: 'unavailable',
  database_unavailable: 'unavailable',
  storage_unavailable: 'unavailable',
}
