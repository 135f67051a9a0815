import type { OfferedPrice, PriceProblem, ProcessorDefinition } from '../definition.ts'

/** Limits of `checkout_new_for_items` and `checkout_one_time_for_items`. */
const LONGEST_ITEM_PRICE_ID = 100

/** Printable without surrounding spaces. A user name in Basic authentication ends at the first colon. */
const USER = /^(?!.*:)[!-~]([ -~]{0,498}[!-~])?$/

/** The header of Basic authentication. Both a user and a password are required: an empty one protects nothing. */
const BASIC = /^basic +([a-z0-9+/]{4,1400}={0,2})$/i

/**
 * The currencies that Chargebee bills in, as far as ISO 4217 still has them; a site sells in those that are enabled and that its gateway
 * accepts. The half of the list after MXN is UNVERIFIED.
 */
const CURRENCIES: ReadonlySet<string> = new Set(
  `
AED AFN ALL AMD AOA ARS AUD AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CVE CZK DJF
DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR ISK JMD JOD JPY KES KGS KHR KMF
KRW KWD KYD KZT LAK LBP LKR LRD MAD MDL MGA MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP
PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SEK SGD SHP SOS SRD SZL THB TJS TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VND VUV
WST XAF XCD XOF XPF YER ZAR ZMW`
    .trim()
    .split(/\s+/),
)

/**
 * Languages of its customers, from "Supported locales" of its documents: those of the languages that it lists as available to every site.
 * Others exist. They have to be enabled in the dashboard.
 */
const LOCALES = `
de de-AT de-CH de-DE de-GR de-LU en en-AU en-CA en-GB en-IE en-IN en-MT en-NZ en-PH en-SG en-US en-ZA es es-AR es-BO es-CL es-CO es-CR
es-CU es-DO es-EC es-GT es-HN es-MX es-NI es-SV fr fr-BE fr-CA fr-CH fr-FR fr-LU it it-CH it-IT pt pt-BR pt-PT`

export const CHARGEBEE: ProcessorDefinition<'site' | 'apiKey' | 'webhookUser' | 'webhookPassword'> = {
  title: 'Chargebee',
  kind: 'subscription billing',
  credentials: {
    site: {
      secret: false,
      pattern: /^[a-z0-9][a-z0-9-]{0,59}$/,
      where: 'The name in front of .chargebee.com in the address of the dashboard; a test site ends with -test',
    },
    apiKey: {
      secret: true,
      where: 'Settings, Configure Chargebee, API Keys: a full-access key of the same site',
    },
    webhookUser: {
      secret: false,
      pattern: USER,
      where: 'Your own choice, without a colon: enter it with the webhook, under Basic authentication',
    },
    webhookPassword: {
      secret: true,
      where: 'Your own choice, long and random: enter it with the webhook, under Basic authentication',
    },
  },
  detectMode({ apiKey, site }) {
    const prefix = /^(test|live)_/.exec(apiKey)?.[1]
    if (prefix === 'test' || prefix === 'live') return prefix
    return site.endsWith('-test') ? 'test' : null
  },
  processorPrice: 'the id of an item price: of a plan for a recurring price, of a charge for a one-time price',
  currencies: CURRENCIES,
  // Amounts are whole numbers of hundredths, whatever the currency has in ISO 4217.
  decimals: { BHD: 2, JOD: 2, KWD: 2, OMR: 2, TND: 2 },
  priceProblems,
  // Checkout & Self-Serve Portal in the dashboard decides what its pages ask for. A one-time checkout makes an invoice, too.
  checkoutOptions: {
    switches: {
      automatic_tax: 'in its settings',
      tax_ids: 'in its settings',
      promotion_codes: 'in its settings',
      invoices: 'always',
      trial_without_card: 'in its settings',
      terms: 'in its settings',
      adaptive_pricing: 'never',
    },
    locales: new Set(LOCALES.trim().split(/\s+/)),
    // UNVERIFIED: what a site does with a language that it has not enabled. It may refuse the page.
    usesBuyerLocale: false,
  },
  // A coupon's duration "starts from the point it is applied to an invoice for the first time", and a trial has no invoice.
  discounts: { processorDiscount: 'coupon id', problem: () => null, trialProblem: null },
  webhook: {
    events: [
      'subscription_created',
      'subscription_started',
      'subscription_activated',
      'subscription_changed',
      'subscription_changes_scheduled',
      'subscription_scheduled_changes_removed',
      'subscription_trial_extended',
      'subscription_trial_end_reminder',
      'subscription_renewed',
      'subscription_cancellation_scheduled',
      'subscription_scheduled_cancellation_removed',
      'subscription_cancelled',
      'subscription_reactivated',
      'subscription_paused',
      'subscription_resumed',
      'payment_initiated',
      'payment_succeeded',
      'payment_failed',
      'payment_refunded',
      'transaction_created',
      'transaction_updated',
      'invoice_updated',
    ],
    hasWellFormedSignature: (headers) => BASIC.test(headers.get('authorization') ?? ''),
  },
  // Test sites and the plan Starter; a live site that exceeds it is flagged. Other plans allow more, which cannot be detected here.
  calls: { test: { max: 150, seconds: 60 }, live: { max: 150, seconds: 60 }, perRead: 3 },
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
    cancellationReason: 'in a separate call',
    expiresPages: false,
    pagesSellOnce: true,
    idempotencyKeys: true,
    sellsUnits: true,
    sellsToAnonymous: true,
    readsIncludePayments: false,
    reportsTax: 'if the total is paid at once',
    reportsDiscount: 'if the total is paid at once',
    reportsReceipt: false,
    receipts: 'a PDF',
    sendsDisputeWebhook: true,
    refundsWhenDisputed: true,
    webhookAuthenticates: 'the sender',
    returnUrl: 'a URL per page',
  },
}

/** An item price has one currency and one amount, so each variant of a price needs its own. */
function priceProblems({ variants }: OfferedPrice): PriceProblem[] {
  return variants.flatMap(({ local, processorPrice, currency, amount }, index): PriceProblem[] => {
    const refuse = (message: string): PriceProblem[] => [{ local, field: 'processorPrice', message }]
    if (processorPrice.length > LONGEST_ITEM_PRICE_ID) {
      return refuse(`ids of item prices have at most ${LONGEST_ITEM_PRICE_ID} characters at Chargebee`)
    }
    const twin = variants.slice(0, index).find((other) => other.processorPrice === processorPrice)
    if (!twin || (twin.currency === currency && twin.amount === amount)) return []
    return refuse('an item price has one currency and one amount: a variant needs an item price of its own')
  })
}
