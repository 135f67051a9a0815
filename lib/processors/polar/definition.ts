import { isCurrency } from '../../money/money.ts'
import type { OfferedPrice, PriceProblem, ProcessorDefinition } from '../definition.ts'
import { monthsProblem } from '../discount-months.ts'

/** Tolerance for a webhook's timestamp in seconds, as in the official SDK. */
export const TOLERANCE_SECONDS = 300

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** One of the signatures of a webhook: the version in use, and base64 of an HMAC-SHA-256. */
const SIGNATURE = /^v1,[A-Za-z0-9+/]{43}=$/

/**
 * The currencies of the official SDK's `PresentmentCurrency`. Polar charges through Stripe, which counts ISK, UGX and MGA in units of its
 * own; whether Polar does so too is not documented, so those three are excluded.
 */
const CURRENCIES = `
AED ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BIF BMD BND BOB BRL BSD BWP BZD CAD CDF CHF CLP CNY COP CRC CVE CZK DJF DKK DOP
DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR JMD JPY KES KGS KHR KMF KRW KYD KZT LAK LKR
LRD LSL MAD MDL MKD MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RWF SAR
SBD SCR SEK SGD SHP SOS SRD SZL THB TJS TOP TRY TTD TWD TZS UAH USD UYU UZS VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW`

/** `SUPPORTED_LOCALES` of its checkout page (clients/packages/i18n/src/config.ts). `pt` is Brazilian. */
const LOCALES = `
de en es fr hu it ja ko nl pt pt-PT sv tr`

export const POLAR: ProcessorDefinition<'accessToken' | 'webhookSecret'> = {
  title: 'Polar',
  kind: 'merchant-of-record',
  credentials: {
    accessToken: {
      secret: true,
      where:
        'Settings, Developers, New token; scopes checkouts:write, subscriptions:write, orders:read, refunds:read, refunds:write, disputes:read, ' +
        'customer_sessions:write. A test paywall needs one of sandbox.polar.sh',
    },
    webhookSecret: { secret: true, where: 'Settings, Webhooks, the secret of the endpoint' },
  },
  detectMode: () => null,
  processorPrice: 'product id',
  currencies: new Set(CURRENCIES.trim().split(/\s+/).filter(isCurrency)),
  decimals: {},
  priceProblems,
  // Polar is the seller, so it charges taxes, takes tax ids and makes invoices. A trial needs a payment method.
  checkoutOptions: {
    switches: {
      automatic_tax: 'always',
      tax_ids: 'always',
      promotion_codes: 'per page',
      invoices: 'always',
      trial_without_card: 'never',
      terms: 'never',
      adaptive_pricing: 'never',
    },
    locales: new Set(LOCALES.trim().split(/\s+/)),
    usesBuyerLocale: true,
  },
  // `is_repetition_expired` in server/polar/models/discount.py: a repeating discount lasts for calendar months.
  // They are counted from the first period after a trial: `cycle` in server/polar/subscription/service.py.
  discounts: { processorDiscount: 'discount id', problem: monthsProblem, trialProblem: null },
  webhook: {
    events: [
      'checkout.updated',
      'order.created',
      'order.updated',
      'order.paid',
      'order.refunded',
      'subscription.created',
      'subscription.active',
      'subscription.updated',
      'subscription.canceled',
      'subscription.uncanceled',
      'subscription.past_due',
      'subscription.cycled',
      'subscription.paused',
      'subscription.resumed',
      'subscription.revoked',
      'refund.created',
      'refund.updated',
    ],
    hasWellFormedSignature,
  },
  // https://polar.sh/docs/api-reference/rate-limits: 500 a minute, 100 in the sandbox.
  calls: { test: { max: 100, seconds: 60 }, live: { max: 500, seconds: 60 }, perRead: 4 },
  capabilities: {
    portal: true,
    chargedAmount: 'of its own price',
    trialLength: 'any',
    cancelledTrial: 'continues to its end',
    supportsUncancel: true,
    supportsImmediateEnd: true,
    sendsCancellationWebhook: true,
    changesPlan: 'unless cancelled',
    schedulesPlanChange: true,
    refunds: 'any amount',
    cancellationReason: 'with the cancellation',
    expiresPages: false,
    pagesSellOnce: true,
    idempotencyKeys: false,
    // It has seats, which a buyer assigns to people: it refuses fewer seats than are assigned, and changes product and seats separately.
    sellsUnits: false,
    sellsToAnonymous: true,
    readsIncludePayments: true,
    reportsTax: 'if the total is paid at once',
    reportsDiscount: 'if the total is paid at once',
    reportsReceipt: false,
    receipts: 'a PDF',
    sendsDisputeWebhook: false,
    refundsWhenDisputed: false,
    webhookAuthenticates: 'the sender, the body and the time',
    returnUrl: 'a URL per page',
  },
}

/** A product has one price for each currency. */
function priceProblems({ variants }: OfferedPrice): PriceProblem[] {
  return variants.flatMap(({ local, processorPrice, currency, amount }): PriceProblem[] => {
    if (!UUID.test(processorPrice)) return [{ local, field: 'processorPrice', message: 'must be the id of a product' }]
    const other = variants.find((each) => each.processorPrice === processorPrice && each.currency === currency)
    const isSame = other === undefined || other.amount === amount
    return isSame ? [] : [{ local, field: 'amount', message: `a product has only one price in ${currency} at Polar` }]
  })
}

/** Whether there is a signature of Polar's form with a current timestamp. */
function hasWellFormedSignature(headers: Headers, now: Date): boolean {
  const at = headers.get('webhook-timestamp') ?? ''
  const isRecent = /^\d{1,12}$/.test(at) && Math.abs(now.getTime() / 1000 - Number(at)) <= TOLERANCE_SECONDS
  return isRecent && headers.has('webhook-id') && readSignatures(headers).length > 0
}

/** The well-formed signatures of a webhook, in base64. During a rotation there may be several. */
export const readSignatures = (headers: Headers): string[] =>
  (headers.get('webhook-signature') ?? '')
    .split(' ')
    .filter((each) => SIGNATURE.test(each))
    .map((each) => each.slice('v1,'.length))
