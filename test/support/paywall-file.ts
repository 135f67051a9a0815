import { randomBytes, randomInt } from 'node:crypto'
import { type PaywallFile, readPaywallFile } from '../../cli/paywall-file/file.ts'
import type { Environment } from '../../cli/paywall-file/secret.ts'

/** A paywall file as its author writes it: JSON. */
export type FileJson = Record<string, unknown>

export interface FileOverrides {
  owner?: FileJson
  team?: FileJson[]
  keys?: FileJson[]
  webhooks?: FileJson[]
  /** Fields of the only paywall to override. */
  paywall?: FileJson
  /** Several paywalls instead of one, each with the same defaults. */
  paywalls?: FileJson[]
  /** The values of `env:NAME`. Live paywalls take their secrets from there. */
  environment?: Environment
}

/** A valid file of a new owner: a test paywall with a monthly price and a yearly one that has a 7-day trial. */
export async function paywallFile(overrides: FileOverrides = {}): Promise<PaywallFile> {
  const { paywall = {}, paywalls = [paywall], environment = {}, ...rest } = overrides
  const written = {
    owner: { email: `owner-${hex(6)}@example.com` },
    keys: [{ name: 'backend', secret: `pk_test_${hex(32)}` }],
    webhooks: [],
    ...rest,
    paywalls: paywalls.map((fields) => ({ ...defaultPaywall(), prices: defaultPrices(fields), ...fields })),
  }
  const read = await readPaywallFile(JSON.stringify(written), environment)
  if ('errors' in read) throw new Error(`the test's paywall file is wrong:\n${read.errors.join('\n')}`)
  return read.file
}

/** The same with a live paywall and a live key. */
export function livePaywallFile(paywall: FileJson = {}): Promise<PaywallFile> {
  const { key, paywall: live, environment } = livePaywall()
  return paywallFile({ keys: [key], paywall: { ...live, ...paywall }, environment })
}

/** A file of an owner with both modes: a key for each, and the test paywalls before the live one. */
export function fileOfBothModes({ tests = 1, webhooks = [] }: { tests?: number; webhooks?: FileJson[] } = {}) {
  const { key, paywall, environment } = livePaywall()
  const test = { name: 'test', secret: `pk_test_${hex(32)}` }
  return paywallFile({ keys: [test, key], paywalls: [...Array(tests).fill({}), paywall], webhooks, environment })
}

/** The webhooks of a parsed file, as its author wrote them. */
export const writtenWebhooks = ({ webhooks }: PaywallFile): FileJson[] =>
  webhooks.map(({ is_test: test, ...webhook }) => ({ ...webhook, test }))

function livePaywall() {
  const credentials = { secretKey: 'env:STRIPE_KEY', webhookSecret: 'env:STRIPE_WEBHOOK' }
  return {
    key: { name: 'backend', secret: 'env:API_KEY' },
    paywall: { test: false, processor: { acquiring: 'stripe', credentials } },
    environment: {
      API_KEY: `pk_live_${hex(32)}`,
      STRIPE_KEY: `sk_live_${hex(24)}`,
      STRIPE_WEBHOOK: `whsec_${hex(24)}`,
    },
  }
}

function defaultPaywall(): FileJson {
  return {
    id: String(randomInt(10_000, 2 ** 47)),
    name: 'Test Paywall',
    test: true,
    settings: {
      success_redirect_url: 'https://owner.example/thanks?session=__SESSION__',
      error_redirect_url: 'https://owner.example/sorry',
      tokenization_queries: [{ type: 'standard', daily_limit: 10 }, { type: 'premium' }],
    },
    processor: {
      acquiring: 'stripe',
      credentials: { secretKey: `sk_test_${hex(24)}`, webhookSecret: `whsec_${hex(24)}` },
    },
  }
}

/** At Mollie, which takes no rupees, the local price is one for Hungary: 3990 HUF. */
function defaultPrices({ processor }: FileJson): FileJson[] {
  const atMollie =
    typeof processor === 'object' && processor !== null && Reflect.get(processor, 'acquiring') === 'mollie'
  const forints = { countries: ['HU'], currency: 'HUF', amount: 3990, processorPrice: 'Monthly, in forints' }
  return [monthly(atMollie ? { locals: [forints] } : {}), yearly()]
}

/** 9.99 USD a month, no trial, 100 standard tokens a period; 399 INR in India. */
export function monthly(overrides: FileJson = {}): FileJson {
  return {
    slug: 'monthly',
    label: 'Monthly',
    currency: 'USD',
    amount: 9.99,
    interval: 'month',
    processorPrice: 'price_monthly',
    locals: [{ countries: ['IN'], currency: 'INR', amount: 399, processorPrice: 'price_monthly_inr' }],
    tokens: [{ type: 'standard', count: 100 }],
    ...overrides,
  }
}

/** 89 USD a year after a trial of 7 days. */
export function yearly(overrides: FileJson = {}): FileJson {
  return {
    slug: 'yearly',
    label: 'Yearly',
    currency: 'USD',
    amount: 89,
    interval: 'year',
    trial_days: 7,
    processorPrice: 'price_yearly',
    ...overrides,
  }
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex')
