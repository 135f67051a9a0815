import { isSignature } from '../../crypto/crypto.ts'
import type { OfferedPrice, PriceProblem, ProcessorDefinition } from '../definition.ts'

/** A plan and one of its pricings: `501:601`. */
const PRICE = /^\d{1,19}:\d{1,19}$/

/** A pricing has a monthly, an annual and a lifetime price. */
const INTERVALS: readonly unknown[] = ['month', 'year', null]

/** Those that the types of `@freemius/checkout` name (`CheckoutLocaleValue`, with an underscore). There is no complete list. */
const LOCALES = ['en-US', 'de-DE', 'fr-FR']

export const FREEMIUS: ProcessorDefinition<'productId' | 'publicKey' | 'secretKey' | 'apiKey'> = {
  title: 'Freemius',
  kind: 'software marketplace',
  credentials: {
    productId: { secret: false, pattern: /^[0-9]{1,15}$/, where: "Settings → API & Keys, the product's ID" },
    publicKey: { secret: false, where: "Settings → API & Keys, the product's public key, pk_…" },
    secretKey: { secret: true, where: "Settings → API & Keys, the product's secret key, sk_…" },
    apiKey: { secret: true, where: 'Settings → API & Keys, API bearer authorization token' },
  },
  // Sandbox and live share one product and its keys.
  detectMode: () => null,
  processorPrice: 'the ids of a plan and of one of its pricings, plan_id:pricing_id',
  currencies: new Set(['USD', 'EUR', 'GBP']),
  decimals: {},
  priceProblems,
  catalogueProblems,
  // Freemius is the seller, so it charges taxes, takes tax ids and makes invoices.
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
    locales: new Set(LOCALES),
    usesBuyerLocale: true,
  },
  discounts: {
    processorDiscount: 'coupon code',
    problem: ({ periods }) =>
      typeof periods === 'number' && periods > 1 ? 'reduces the first payment only, or all of them' : null,
    trialProblem: 'does not document when a discount begins after a trial',
  },
  webhook: {
    events: [
      'license.created',
      'license.extended',
      'license.shortened',
      'license.updated',
      'license.plan.changed',
      'license.expired',
      'license.cancelled',
      'license.deleted',
      'license.trial_expiring_notice.sent',
      'subscription.created',
      'subscription.cancelled',
      'subscription.renewal.failed',
      'subscription.renewal.failed.last',
      'payment.created',
      'payment.refund',
      'payment.dispute.created',
      'payment.dispute.closed',
      'payment.dispute.lost',
      'payment.dispute.won',
    ],
    // The signature has no timestamp.
    hasWellFormedSignature: (headers) => isSignature(headers.get('x-signature') ?? ''),
  },
  // Freemius documents no limit: this is our choice.
  calls: { test: { max: 120, seconds: 60 }, live: { max: 120, seconds: 60 }, perRead: 5 },
  capabilities: {
    portal: true,
    chargedAmount: 'of its own price',
    trialLength: 'of the product',
    cancelledTrial: 'ends at once',
    supportsUncancel: false,
    supportsImmediateEnd: true,
    sendsCancellationWebhook: true,
    changesPlan: 'unless cancelled',
    schedulesPlanChange: false,
    refunds: 'never',
    cancellationReason: 'with the cancellation',
    expiresPages: false,
    pagesSellOnce: false,
    idempotencyKeys: false,
    // A pricing is for a fixed number of licences.
    sellsUnits: false,
    sellsToAnonymous: false,
    readsIncludePayments: true,
    reportsTax: 'always',
    reportsDiscount: 'unless the plan was changed',
    reportsReceipt: false,
    receipts: 'a PDF',
    sendsDisputeWebhook: true,
    refundsWhenDisputed: false,
    webhookAuthenticates: 'the sender and the body',
    returnUrl: 'one URL per product',
  },
}

function priceProblems({ interval, intervalCount, variants }: OfferedPrice): PriceProblem[] {
  const problems: PriceProblem[] = []
  if (!INTERVALS.includes(interval)) {
    problems.push({
      local: null,
      field: 'interval',
      message: 'Freemius only sells monthly, annual and one-time prices',
    })
  } else if (interval !== null && intervalCount !== 1) {
    problems.push({ local: null, field: 'interval_count', message: 'Freemius only bills every month or every year' })
  }
  for (const { local, processorPrice, currency, amount } of variants) {
    const wrong = (message: string) => problems.push({ local, field: 'processorPrice', message })
    if (amount === 0) problems.push({ local, field: 'amount', message: 'Freemius has no free prices' })
    const same = variants.find((each) => each.processorPrice === processorPrice)
    if (!PRICE.test(processorPrice)) wrong('must be plan_id:pricing_id, such as 501:601')
    else if (same?.currency !== currency || same.amount !== amount) {
      wrong('is used with another currency or amount as well, but a pricing of Freemius has only one')
    }
  }
  return problems
}

/** Trials belong to a plan, so all prices of a plan with a trial have the same. */
function catalogueProblems(prices: OfferedPrice[]): PriceProblem[][] {
  const daysByPlan = new Map<string, number>()
  return prices.map(({ trialDays, variants }) => {
    if (trialDays === 0) return []
    for (const { processorPrice } of variants) {
      const [plan = ''] = processorPrice.split(':')
      const days = daysByPlan.get(plan) ?? trialDays
      daysByPlan.set(plan, days)
      const message = `Freemius has one trial per plan, and another price of plan ${plan} has one of ${days} days`
      if (days !== trialDays) return [{ local: null, field: 'trial_days', message }]
    }
    return []
  })
}
