import type * as z from 'zod'
import type { EventSelector } from '../../lib/events/types.ts'
import type { Geo } from '../../lib/geo/targeting.ts'
import { toMinorUnits } from '../../lib/money/money.ts'
import { parseJsonText } from './json-text.ts'
import { modeOfApiKey } from './key.ts'
import type { WrittenPaywall } from './paywall.ts'
import type { LocalPrice, WrittenPrice } from './price.ts'
import { priceId, type Sale } from './price-id.ts'
import { type ProcessorAccount, revealProcessor } from './processor.ts'
import { isTestFile, paywallFileSchema, type WrittenFile } from './schema.ts'
import { type Environment, revealSecret } from './secret.ts'
import { pathMessage, storageProblems } from './storable.ts'

/**
 * A paywall file that can be applied as it is: every rule holds, every default is filled in, every secret is in plain
 * text, amounts are minor units. Members have the names of the columns they are written to.
 */
export interface PaywallFile {
  owner: { email: string }
  /** `secret` null: ours to make. */
  keys: { name: string; is_test: boolean; secret: string | null }[]
  webhooks: { url: string; secret: string | null; events: EventSelector[] }[]
  paywalls: FilePaywall[]
}

export interface FilePaywall {
  id: string
  name: string
  is_test: boolean
  domain: string | null
  settings: Record<string, unknown>
  geo: Geo
  processor: ProcessorAccount
  prices: FilePrice[]
  offers: Record<string, unknown>[]
  layout: Record<string, unknown>
  locales: Record<string, Record<string, unknown>>
}

export interface FilePrice extends Omit<Sale, 'acquiring'> {
  id: string
  label: string
  tokens: { type: string; count: number }[]
}

/** Reads a paywall file. Either the whole file is good, or all of its errors are told, each with its path. */
export async function readPaywallFile(
  text: string,
  environment: Environment,
): Promise<{ file: PaywallFile } | { errors: string[] }> {
  const json = parseJsonText(text)
  if ('error' in json) return { errors: [json.error] }

  const parsed = paywallFileSchema(environment).safeParse(json.value, { error: wording })
  const problems = storageProblems(json.value)
  if (!parsed.success) return { errors: [...problems, ...parsed.error.issues.flatMap(messagesOf)] }
  if (problems.length > 0) return { errors: problems }
  return { file: await complete(parsed.data, environment) }
}

async function complete(written: WrittenFile, environment: Environment): Promise<PaywallFile> {
  const reveal = (secret: string | undefined) =>
    secret === undefined ? null : (revealSecret(secret, environment) ?? null)
  const defaultMode = isTestFile(written) ? 'test' : 'live'
  return {
    owner: written.owner,
    keys: written.keys.map(({ name, mode, secret }) => {
      const revealed = reveal(secret)
      return { name, secret: revealed, is_test: (modeOfApiKey(revealed ?? '') ?? mode ?? defaultMode) === 'test' }
    }),
    webhooks: written.webhooks.map(({ url, secret, events }) => ({
      url: new URL(url).href,
      secret: reveal(secret),
      events,
    })),
    paywalls: await Promise.all(written.paywalls.map((paywall) => completePaywall(paywall, environment))),
  }
}

async function completePaywall(written: WrittenPaywall, environment: Environment): Promise<FilePaywall> {
  const { test, domain, prices, ...rest } = written
  const processor = revealProcessor(written.processor, environment)
  if (!processor) throw new TypeError(`paywall ${written.id}: its credentials were checked and do not hold`)
  const sold = prices.map((price) => completePrice(price, written.id, processor.acquiring))
  return { ...rest, is_test: test, domain: domain ?? null, processor, prices: await Promise.all(sold) }
}

async function completePrice(written: WrittenPrice, paywallId: string, acquiring: string): Promise<FilePrice> {
  const interval = written.interval ?? null
  const sale: Omit<Sale, 'acquiring'> = {
    paywall_id: paywallId,
    slug: written.slug,
    amount: toMinorUnits(written.amount, written.currency),
    currency: written.currency,
    interval,
    interval_count: interval && (written.interval_count ?? 1),
    trial_days: written.trial_days ?? 0,
    processor_price: written.processorPrice,
    locals: written.locals.map(completeLocal),
  }
  return { ...sale, id: await priceId({ ...sale, acquiring }), label: written.label, tokens: written.tokens }
}

function completeLocal({ processorPrice, ...local }: WrittenPrice['locals'][number]): LocalPrice {
  return { ...local, amount: toMinorUnits(local.amount, local.currency), processor_price: processorPrice }
}

/** zod's words, but a missing member is called so. */
const wording: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'invalid_type' && issue.input === undefined ? 'is missing' : undefined

function messagesOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code !== 'unrecognized_keys')
    return [pathMessage(issue.path, issue.message.replace(/^Invalid input: /, ''))]
  return issue.keys.map((key) => pathMessage([...issue.path, key], 'there is no such member'))
}
