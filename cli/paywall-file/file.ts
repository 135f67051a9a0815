// Reads a paywall file:
// 1. parse the JSON, and find values that the database cannot store (json.ts)
// 2. validate it against the schema (schema.ts), and format the errors
// 3. complete the file: defaults, secrets from the environment, minor units, price ids
import type { TeamRole } from '../../lib/auth/team-roles.ts'
import type { EventSelector } from '../../lib/events/types.ts'
import type { Geo } from '../../lib/geo/targeting.ts'
import { toMinorUnits } from '../../lib/money/money.ts'
import type { PublicOffer } from '../../lib/paywall/structure.ts'
import { errorMap, toMessages } from './error-map.ts'
import { parseJsonText, storageProblems } from './json.ts'
import { apiKeyMode } from './keys-and-webhooks.ts'
import { isDiscountOffer, type WrittenDiscountOffer } from './offers.ts'
import type { WrittenPaywall } from './paywall.ts'
import { type LocalPrice, priceId, type Sale, type WrittenPrice } from './price.ts'
import { type ProcessorAccount, revealProcessor } from './processor.ts'
import { isTestFile, paywallFileSchema, type WrittenFile } from './schema.ts'
import { type Environment, revealSecret } from './secret.ts'

/**
 * A valid paywall file, ready to apply: defaults are filled in, secrets are in plain text, amounts are in minor units. Fields have the
 * names of their columns.
 */
export interface PaywallFile {
  owner: { email: string }
  /** Who may sign in to the console besides the owner. */
  team: TeamMember[]
  reporting: Reporting
  /** A secret of null is to be generated. */
  keys: { name: string; is_test: boolean; secret: string | null }[]
  webhooks: { url: string; is_test: boolean; secret: string | null; events: EventSelector[] }[]
  paywalls: FilePaywall[]
}

export interface TeamMember {
  email: string
  role: TeamRole
}

/** The currency of the owner's figures; null: they are not converted. */
export interface Reporting {
  currency: string | null
  rates: { currency: string; valid_from: string; rate: string }[]
}

export interface FilePaywall {
  id: string
  name: string
  is_test: boolean
  domain: string | null
  settings: Record<string, unknown>
  geo: Geo
  processor: ProcessorAccount
  /** Cloudflare's captcha; null: none is asked for. */
  turnstile: { siteKey: string; secretKey: string } | null
  prices: FilePrice[]
  /** The owner's own entries of `offers`. */
  offers: Record<string, unknown>[]
  /** The offers that take something off. */
  discounts: FileOffer[]
  layout: Record<string, unknown>
  locales: Record<string, Record<string, unknown>>
}

export interface FilePrice extends Omit<Sale, 'acquiring'> {
  id: string
  label: string
  tokens: { type: string; count: number }[]
  features: string[]
  access: boolean
  per_unit: boolean
}

/** An offer that takes something off. Times are ISO 8601 in UTC. */
export interface FileOffer extends PublicOffer {
  max_uses: number | null
  max_per_member: number
  code: string | null
  processor_discount: string | null
}

/** Parses a paywall file. Returns the file, or all of its errors with their paths. */
export async function readPaywallFile(
  text: string,
  environment: Environment,
): Promise<{ file: PaywallFile } | { errors: string[] }> {
  const json = parseJsonText(text)
  if ('error' in json) return { errors: [json.error] }

  const parsed = paywallFileSchema(environment).safeParse(json.value, { error: errorMap })
  const problems = storageProblems(json.value)
  if (!parsed.success) return { errors: [...problems, ...parsed.error.issues.flatMap((issue) => toMessages(issue))] }
  if (problems.length > 0) return { errors: problems }
  return { file: await complete(parsed.data, environment) }
}

async function complete(file: WrittenFile, environment: Environment): Promise<PaywallFile> {
  const getSecret = (entry: { secret?: string | undefined }) =>
    entry.secret === undefined ? null : (revealSecret(entry.secret, environment) ?? null)
  const defaultMode = isTestFile(file) ? 'test' : 'live'
  return {
    owner: file.owner,
    team: file.team,
    reporting: {
      currency: file.reporting?.currency ?? null,
      rates: (file.reporting?.rates ?? []).map(({ from, ...rate }) => ({ ...rate, valid_from: from })),
    },
    keys: file.keys.map((key) => {
      const secret = getSecret(key)
      return { name: key.name, secret, is_test: (apiKeyMode(secret ?? '') ?? key.mode ?? defaultMode) === 'test' }
    }),
    webhooks: file.webhooks.map((webhook) => ({
      url: new URL(webhook.url).href,
      is_test: webhook.test ?? defaultMode === 'test',
      secret: getSecret(webhook),
      events: webhook.events,
    })),
    paywalls: await Promise.all(file.paywalls.map((paywall) => completePaywall(paywall, environment))),
  }
}

async function completePaywall(paywall: WrittenPaywall, environment: Environment): Promise<FilePaywall> {
  const { test, domain, prices, offers, ...rest } = paywall
  const processor = revealProcessor(paywall.processor, environment)
  if (!processor) throw new TypeError(`paywall ${paywall.id}: its credentials passed the schema, but cannot be read`)
  const completePrices = prices.map((price) => completePrice(price, paywall.id, processor.acquiring))
  const turnstile = paywall.turnstile
    ? { ...paywall.turnstile, secretKey: revealSecret(paywall.turnstile.secretKey, environment) ?? '' }
    : null
  return {
    ...rest,
    is_test: test,
    domain: domain ?? null,
    processor,
    turnstile,
    prices: await Promise.all(completePrices),
    offers: offers.filter((offer) => !isDiscountOffer(offer)),
    discounts: offers.filter(isDiscountOffer).map(completeOffer),
  }
}

async function completePrice(price: WrittenPrice, paywallId: string, acquiring: string): Promise<FilePrice> {
  const interval = price.interval ?? null
  const sale: Omit<Sale, 'acquiring'> = {
    paywall_id: paywallId,
    slug: price.slug,
    amount: toMinorUnits(price.amount, price.currency),
    currency: price.currency,
    interval,
    interval_count: interval && (price.interval_count ?? 1),
    trial_days: price.trial_days ?? 0,
    processor_price: price.processorPrice,
    locals: price.locals.map(completeLocal),
  }
  const { label, tokens, features, access = true, per_unit } = price
  return { ...sale, id: await priceId({ ...sale, acquiring }), label, tokens, features, access, per_unit }
}

function completeLocal({ processorPrice, ...local }: WrittenPrice['locals'][number]): LocalPrice {
  return { ...local, amount: toMinorUnits(local.amount, local.currency), processor_price: processorPrice }
}

function completeOffer({ max, discount, processorDiscount, ...offer }: WrittenDiscountOffer): FileOffer {
  const { amount, currency } = discount
  return {
    ...offer,
    badge: offer.badge ?? null,
    discount: {
      ...discount,
      ...(amount !== undefined && currency !== undefined && { amount: toMinorUnits(amount, currency) }),
    },
    countries: offer.countries ?? null,
    starts_at: toUtc(offer.starts_at),
    ends_at: toUtc(offer.ends_at),
    max_uses: max ?? null,
    max_per_member: offer.max_per_member ?? 1,
    code: offer.code ?? null,
    show: offer.show ?? 'paywall',
    processor_discount: processorDiscount ?? null,
  }
}

const toUtc = (time: string | undefined) => (time === undefined ? null : new Date(time).toISOString())
