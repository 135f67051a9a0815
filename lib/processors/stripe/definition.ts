import { shift } from '../../money/money.ts'
import { modeFromPrefix, type ProcessorDefinition } from '../definition.ts'
import type { Discount } from '../discount.ts'
import { monthsProblem } from '../discount-months.ts'
import type { Interval } from '../processor.ts'

/** Maximum age of a signature in seconds, as Stripe recommends. */
export const TOLERANCE_SECONDS = 300

/** The signature header: the time of signing, in seconds, and an HMAC-SHA-256 of the current scheme. */
const SIGNED_AT = /(?:^|,)t=(\d{1,12})(?:,|$)/
const SIGNATURE = /(?:^|,)v1=[0-9a-f]{64}(?:,|$)/

/**
 * The currencies that Stripe accepts, as far as ISO 4217 still has them. An account supports only some of them, depending on its country,
 * which Stripe reports at the checkout.
 */
const CURRENCIES = `
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP
CRC CVE CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR ISK JMD JOD JPY
KES KGS KHR KMF KRW KWD KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR
NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SEK SGD SHP SLE SOS SRD SVC SZL THB TJS TND TOP TRY TTD
TWD TZS UAH UGX USD UYU UZS VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW`

/** `SessionCreateParams.Locale` of its SDK, without `auto`, which is the default. */
const LOCALES = `
bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hi-IN hr hu id it ja ko lt lv ms mt nb nl pl pt pt-BR ro ru sk sl sv th tr vi
zh zh-HK zh-TW`

/**
 * Where Stripe's units differ from ISO 4217: the shift of the decimal point. Króna and shilling have no decimals, yet Stripe writes two,
 * always 00. The ariary has two, which are not in use, and Stripe writes none.
 */
const DECIMAL_SHIFTS: Readonly<Record<string, number>> = { ISK: -2, UGX: -2, MGA: 2 }

export const STRIPE: ProcessorDefinition<'secretKey' | 'webhookSecret'> = {
  title: 'Stripe',
  kind: 'card payments',
  credentials: {
    secretKey: {
      secret: true,
      where: 'Developers → API keys: `sk_test_…` for a test paywall, `sk_live_…` for a live one',
    },
    webhookSecret: { secret: true, where: 'Developers → Webhooks, the signing secret of the endpoint: `whsec_…`' },
  },
  detectMode: ({ secretKey }) => modeFromPrefix(secretKey, /^[sr]k_(test|live)_/),
  processorPrice: 'price id',
  currencies: new Set(CURRENCIES.trim().split(/\s+/)),
  // For currencies with three decimals, the last one must be 0.
  decimals: { MGA: 0, BHD: 2, JOD: 2, KWD: 2, OMR: 2, TND: 2 },
  priceProblems: () => [],
  // The parameters of a checkout session: docs.stripe.com/api/checkout/sessions/create. A subscription always has invoices.
  checkoutOptions: {
    switches: {
      automatic_tax: 'per page',
      tax_ids: 'per page',
      promotion_codes: 'per page',
      invoices: 'per page',
      trial_without_card: 'per page',
      terms: 'per page',
      adaptive_pricing: 'per page',
    },
    locales: new Set(LOCALES.trim().split(/\s+/)),
    usesBuyerLocale: true,
  },
  // No document says whether the trial's invoice of 0 uses up a coupon for one invoice.
  discounts: {
    processorDiscount: 'coupon id',
    problem: couponProblem,
    trialProblem: 'counts the periods of a discount from the start of a trial',
  },
  webhook: {
    events: [
      'checkout.session.completed',
      'checkout.session.async_payment_succeeded',
      'checkout.session.async_payment_failed',
      'customer.subscription.created',
      'customer.subscription.updated',
      'customer.subscription.paused',
      'customer.subscription.resumed',
      'customer.subscription.deleted',
      'customer.subscription.trial_will_end',
      'subscription_schedule.created',
      'subscription_schedule.updated',
      'subscription_schedule.released',
      'invoice.paid',
      'invoice.payment_failed',
      'refund.created',
      'refund.updated',
      'refund.failed',
      'charge.dispute.created',
      'charge.dispute.closed',
    ],
    hasWellFormedSignature,
  },
  // https://docs.stripe.com/rate-limits: 100 a second live, 25 in a sandbox.
  calls: { test: { max: 25, seconds: 1 }, live: { max: 100, seconds: 1 }, perRead: 2 },
  capabilities: {
    portal: true,
    chargedAmount: 'of its own price',
    trialLength: 'any',
    cancelledTrial: 'continues to its end',
    supportsUncancel: true,
    supportsImmediateEnd: true,
    sendsCancellationWebhook: true,
    changesPlan: 'always',
    schedulesPlanChange: true,
    refunds: 'any amount',
    cancellationReason: 'with the cancellation',
    expiresPages: true,
    pagesSellOnce: true,
    idempotencyKeys: true,
    sellsUnits: true,
    sellsToAnonymous: true,
    readsIncludePayments: false,
    reportsTax: 'if the total is paid at once',
    reportsDiscount: 'if the total is paid at once',
    reportsReceipt: true,
    receipts: 'a page',
    sendsDisputeWebhook: true,
    refundsWhenDisputed: false,
    webhookAuthenticates: 'the sender, the body and the time',
    returnUrl: 'a URL per page',
  },
}

/** https://docs.stripe.com/changelog/basil/2025-03-31/restrict-coupon-duration, and `duration` of a coupon. */
function couponProblem(discount: Discount, recurring: { interval: Interval }): string | null {
  const { amount, periods } = discount
  if (amount !== undefined && periods === 'forever') return 'takes no amount off for ever, only a percentage'
  return monthsProblem(discount, recurring)
}

/** Converts Stripe's amount to the minor units of ISO 4217. */
export function fromStripe(amount: number, currency: string): number {
  const places = DECIMAL_SHIFTS[currency]
  return places === undefined ? amount : Math.round(shift(amount, places))
}

/** Converts minor units of ISO 4217 to Stripe's, at most the same amount. */
export function toStripe(amount: number, currency: string): number {
  const places = DECIMAL_SHIFTS[currency]
  return places === undefined ? amount : Math.floor(shift(amount, -places))
}

/** Whether `Stripe-Signature` is well-formed, and not too old. */
function hasWellFormedSignature(headers: Headers, now: Date): boolean {
  const header = headers.get('stripe-signature') ?? ''
  const signedAt = SIGNED_AT.exec(header)?.[1]
  if (signedAt === undefined || !SIGNATURE.test(header)) return false
  return Math.floor(now.getTime() / 1000) - Number(signedAt) <= TOLERANCE_SECONDS
}
