import { type PaywallFile, readPaywallFile } from '../../cli/paywall-file/file.ts'

/** The values of `env:NAME` in `sampleFileText`. */
export const environment = {
  API_KEY: 'pk_test_0123456789abcdef',
  LIVE_API_KEY: 'pk_live_0123456789abcdef',
  WEBHOOK_SECRET: `whsec_${'A'.repeat(43)}=`,
  STRIPE_KEY: 'sk_test_123',
  STRIPE_LIVE_KEY: 'sk_live_123',
  STRIPE_WEBHOOK: 'whsec_stripe',
}

/** A paywall file as an owner writes it: every kind of price, a key, a webhook. */
const WRITTEN = {
  owner: { email: 'owner@example.com' },
  keys: [{ name: 'backend', secret: 'env:API_KEY' }],
  webhooks: [{ url: 'https://owner.example/webhooks', secret: 'env:WEBHOOK_SECRET' }],
  paywalls: [
    {
      id: '1001',
      name: 'Acme',
      test: true,
      domain: 'pay.acme.example',
      settings: { tokenization_queries: [{ type: 'standard', daily_limit: 10 }], anything: { of: ['yours'] } },
      geo: { tiers: { 1: ['US'], 2: ['BR'], 3: ['IN'] } },
      processor: {
        acquiring: 'stripe',
        credentials: { secretKey: 'env:STRIPE_KEY', webhookSecret: 'env:STRIPE_WEBHOOK' },
      },
      prices: [
        {
          slug: 'monthly',
          label: 'Monthly',
          currency: 'USD',
          amount: 9.99,
          interval: 'month',
          trial_days: 7,
          processorPrice: 'price_monthly',
          locals: [
            { countries: ['IN'], currency: 'INR', amount: 399, processorPrice: 'price_monthly_inr' },
            { tier: 2, currency: 'BRL', amount: 25, processorPrice: 'price_monthly_brl' },
          ],
          tokens: [{ type: 'standard', count: 500 }],
        },
        { slug: 'lifetime', label: 'Lifetime', currency: 'JPY', amount: 30000, processorPrice: 'price_lifetime' },
      ],
    },
  ],
}

export type Changes = Record<string, unknown>

/** The file's text with fields set by their paths (`paywalls[0].prices[0].amount`); `undefined` removes one. */
export function sampleFileText(changes: Changes = {}): string {
  const file: unknown = structuredClone(WRITTEN)
  for (const [path, value] of Object.entries(changes)) setMember(file, path.split(/[.[\]]+/).filter(Boolean), value)
  return JSON.stringify(file)
}

/** The same file, parsed. Throws if it is invalid. */
export async function paywallFile(changes: Changes = {}): Promise<PaywallFile> {
  const read = await readPaywallFile(sampleFileText(changes), environment)
  if ('errors' in read) throw new Error(read.errors.join('\n'))
  return read.file
}

/** The errors in a file's text; empty if it is valid. */
export async function readErrors(text: string, variables: Record<string, string> = environment): Promise<string[]> {
  const read = await readPaywallFile(text, variables)
  return 'errors' in read ? read.errors : []
}

function setMember(parent: unknown, [name, ...rest]: string[], value: unknown): void {
  if (typeof parent !== 'object' || parent === null || name === undefined) throw new TypeError('no such path')
  if (rest.length > 0) setMember(Reflect.get(parent, name), rest, value)
  else if (value === undefined) Reflect.deleteProperty(parent, name)
  else Reflect.set(parent, name, value)
}
