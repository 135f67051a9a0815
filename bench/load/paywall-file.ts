import { randomBytes } from 'node:crypto'

/** A paywall file, and the parts of it that callers need. */
export interface BenchFile {
  text: string
  paywallId: string
  key: string
  /** The secret of Stripe's webhooks. */
  webhookSecret: string
}

/** A webhook endpoint of the file. */
export interface BenchWebhook {
  url: string
  events: string[]
}

/** The return URLs of a checkout, which a paywall without a domain requires. */
export const RETURN_URLS = {
  successUrl: 'https://bench.example/thanks?session=__SESSION__',
  errorUrl: 'https://bench.example/pricing',
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/**
 * A test paywall that sells a monthly subscription through Stripe and has tokens. Without webhooks nothing is delivered, so
 * only the work of the request itself is measured.
 */
export function benchFile(webhooks: BenchWebhook[] = []): BenchFile {
  const key = `pk_test_${hex(32)}`
  const paywallId = '1001'
  const webhookSecret = `whsec_${hex(24)}`
  const file = {
    owner: { email: 'owner@bench.example' },
    keys: [{ name: 'backend', secret: key }],
    webhooks: webhooks.map((webhook) => ({ ...webhook, secret: `whsec_${randomBytes(32).toString('base64')}` })),
    paywalls: [
      {
        id: paywallId,
        name: 'Bench',
        test: true,
        settings: {
          brand_color: '#4f46e5',
          success_redirect_url: RETURN_URLS.successUrl,
          tokenization_queries: [{ type: 'standard', daily_limit: 10 }],
        },
        processor: {
          acquiring: 'stripe',
          credentials: { secretKey: `sk_test_${hex(24)}`, webhookSecret },
        },
        prices: [
          {
            slug: 'monthly',
            label: 'Monthly',
            currency: 'USD',
            amount: 9.99,
            interval: 'month',
            processorPrice: 'price_monthly_usd',
            locals: [{ countries: ['IN'], currency: 'INR', amount: 399, processorPrice: 'price_monthly_inr' }],
            tokens: [{ type: 'standard', count: 500 }],
          },
        ],
        layout: { type: 'stack', blocks: [{ type: 'heading', text: 'headline' }] },
        locales: { en: { headline: 'Do more' }, de: { headline: 'Mehr schaffen' } },
      },
    ],
  }
  return { text: JSON.stringify(file), paywallId, key, webhookSecret }
}
