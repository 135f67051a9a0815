import * as z from 'zod'
import { isSignature } from '../../crypto/crypto.ts'
import type { AdapterOptions } from '../adapter.ts'
import { modeFromPrefix, type OfferedPrice, type PriceProblem, type ProcessorDefinition } from '../definition.ts'
import type { Notice } from '../event.ts'

/** Maximum number of intervals: Mollie charges at least once a year. */
const MAX_INTERVALS = { day: 365, week: 52, month: 12, year: 1 }

/** `Locale2` of its SDK, for the field `locale` of a payment. Mollie writes an underscore. */
const LOCALES = `
ca-ES cs-CZ da-DK de-AT de-CH de-DE de-LU en-BE en-GB en-NL en-US es-ES fi-FI fr-BE fr-FR fr-LU hu-HU is-IS it-IT lt-LT lv-LV nb-NO
nl-BE nl-NL pl-PL pt-PT sk-SK sv-SE`

export const MOLLIE: ProcessorDefinition<'apiKey' | 'webhookSecret'> = {
  title: 'Mollie',
  kind: 'regional payment methods',
  credentials: {
    apiKey: { secret: true, where: 'Developers → API keys: `test_…` for a test paywall, `live_…` for a live one' },
    webhookSecret: {
      secret: true,
      optional: true,
      where: 'Only for a next-gen webhook: shown once, when it is created',
    },
  },
  detectMode: ({ apiKey }) => modeFromPrefix(apiKey, /^(test|live)_/),
  processorPrice: 'a description of the product',
  // Which of them an owner can use depends on the payment methods of the account. Mollie uses the decimals of ISO 4217 for all.
  currencies: new Set(
    'AED AUD BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS ISK JPY MXN MYR NOK NZD PHP PLN RON RUB SEK SGD THB TWD USD ZAR'.split(
      ' ',
    ),
  ),
  decimals: {},
  priceProblems,
  // A payment has an amount and a description, and its page asks for nothing else: docs.mollie.com/reference/create-payment.
  checkoutOptions: {
    switches: {
      automatic_tax: 'never',
      tax_ids: 'never',
      promotion_codes: 'never',
      invoices: 'never',
      trial_without_card: 'never',
      terms: 'never',
      adaptive_pricing: 'never',
    },
    locales: new Set(LOCALES.trim().split(/\s+/)),
    usesBuyerLocale: true,
  },
  // A discount is part of the amount that is charged.
  discounts: { processorDiscount: null, problem: () => null, trialProblem: null },
  webhook: {
    events: [
      'payment.paid',
      'payment.authorized',
      'payment.failed',
      'payment.canceled',
      'payment.expired',
      'payment.pending',
      'refund.refunded',
      'refund.failed',
      'refund.canceled',
      'chargeback.received',
      'chargeback.reversed',
    ],
    hasWellFormedSignature: (headers) => readSignatures(headers).some(isSignature),
    readNotice,
  },
  // Mollie documents no limit: this is our choice.
  calls: { test: { max: 300, seconds: 60 }, live: { max: 300, seconds: 60 }, perRead: 3 },
  capabilities: {
    portal: false,
    chargedAmount: 'of the paywall file',
    trialLength: 'any',
    cancelledTrial: 'continues to its end',
    supportsUncancel: false,
    supportsImmediateEnd: false,
    sendsCancellationWebhook: false,
    changesPlan: 'unless cancelled',
    schedulesPlanChange: true,
    refunds: 'any amount',
    cancellationReason: 'not at all',
    expiresPages: false,
    pagesSellOnce: true,
    idempotencyKeys: true,
    sellsUnits: true,
    sellsToAnonymous: true,
    readsIncludePayments: true,
    reportsTax: 'never',
    reportsDiscount: 'always',
    reportsReceipt: false,
    receipts: 'none',
    sendsDisputeWebhook: true,
    refundsWhenDisputed: true,
    webhookAuthenticates: 'the sender and the body',
    returnUrl: 'a URL per page',
  },
}

/** The query parameter of a webhook URL that names our sale. */
const SALE = 'checkout'

/**
 * The URL for Mollie's classic webhooks of a sale, which is set on each payment and subscription. Null for none, since Mollie refuses a URL
 * that it cannot reach.
 */
export function noticeAddress({ base, webhookUrl }: Pick<AdapterOptions, 'base' | 'webhookUrl'>, checkoutId: string) {
  if (!webhookUrl) return null
  const address = new URL(webhookUrl)
  const isLocal = address.hostname === 'localhost' || address.hostname === '127.0.0.1'
  if (isLocal && base === null) return null
  address.searchParams.set(SALE, checkoutId)
  return address.href
}

/** A classic webhook: an unsigned form with the id of a payment, the same for every change. */
function readNotice({ address, headers, rawBody }: { address: URL; headers: Headers; rawBody: string }): Notice | null {
  if (!headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')) return null
  const notice = ClassicWebhook.safeParse({
    checkoutId: address.searchParams.get(SALE),
    pageId: new URLSearchParams(rawBody).get('id'),
  })
  return notice.data ?? null
}

const ClassicWebhook = z.object({ checkoutId: z.uuid(), pageId: z.string().regex(/^tr_\w{1,60}$/) })

/** The signatures of a webhook. During a rotation Mollie signs with the old and the new secret. */
export const readSignatures = (headers: Headers): string[] =>
  (headers.get('x-mollie-signature') ?? '').split(',').map((each) => each.trim().replace(/^sha256=/, ''))

function priceProblems({ interval, intervalCount, variants }: OfferedPrice): PriceProblem[] {
  const problems: PriceProblem[] = []
  if (interval && intervalCount > MAX_INTERVALS[interval]) {
    const message = `Mollie charges at least once a year: at most ${MAX_INTERVALS[interval]} with ${interval}`
    problems.push({ local: null, field: 'interval_count', message })
  }
  for (const { local, amount } of variants) {
    const message = 'Mollie requires an amount above 0'
    if (amount === 0) problems.push({ local, field: 'amount', message })
  }
  return problems
}
