import * as z from 'zod'
import { CREDENTIALS, credentialSchemas } from '../../lib/processors/credentials.ts'
import { issueAt } from './checks.ts'
import { currencyProblem } from './currencies.ts'
import type { WrittenPrice } from './price.ts'
import { type Environment, isLiteral, revealSecret, secretSchema } from './secret.ts'

/** Credentials that are no secrets: a live paywall's file may have them as they are. */
const PUBLIC_CREDENTIALS = ['site', 'productId', 'publicKey', 'webhookUser']

/** The owner's account at a processor, its credentials as written. */
export function processorSchema(environment: Environment) {
  return accountSchema(
    credentialSchemas((pattern) =>
      secretSchema(environment, (secret) =>
        pattern.test(secret) ? null : 'must be 1 to 500 printable characters, as the processor shows it',
      ),
    ),
  )
}

const Account = accountSchema(CREDENTIALS)

/** The account with every `env:NAME` replaced by its secret. */
export type ProcessorAccount = z.infer<typeof Account>

/** The account with its secrets; null if the environment lacks one or one is malformed. */
export function revealProcessor(
  { acquiring, credentials }: { acquiring: string; credentials: Record<string, string> },
  environment: Environment,
): ProcessorAccount | null {
  const secrets = Object.entries(credentials).map(([field, text]) => [field, revealSecret(text, environment)])
  const account = Account.safeParse({ acquiring, credentials: Object.fromEntries(secrets) })
  return account.success ? account.data : null
}

/** The names of the credentials that are secrets and yet are in the file itself. */
export function literalSecrets(credentials: Record<string, string>): string[] {
  return Object.keys(credentials).filter(
    (field) => !PUBLIC_CREDENTIALS.includes(field) && isLiteral(credentials[field] ?? ''),
  )
}

/** Whether the key is for test or live money, where the processor's keys say so themselves; else null. */
export function modeOfProcessorKey(account: ProcessorAccount): 'test' | 'live' | null {
  switch (account.acquiring) {
    case 'stripe':
      return modeNamedBy(account.credentials.secretKey, /^[sr]k_(test|live)_/)
    case 'chargebee':
    case 'mollie':
      return modeNamedBy(account.credentials.apiKey, /^(test|live)_/)
    case 'polar':
    case 'freemius':
      return null
  }
}

function modeNamedBy(key: string, prefix: RegExp): 'test' | 'live' | null {
  const mode = prefix.exec(key)?.[1]
  return mode === 'test' || mode === 'live' ? mode : null
}

function accountSchema<Schemas extends ReturnType<typeof credentialSchemas>>(schemas: Schemas) {
  return z.discriminatedUnion('acquiring', [
    z.strictObject({ acquiring: z.literal('stripe'), credentials: schemas.stripe }),
    z.strictObject({ acquiring: z.literal('polar'), credentials: schemas.polar }),
    z.strictObject({ acquiring: z.literal('chargebee'), credentials: schemas.chargebee }),
    z.strictObject({ acquiring: z.literal('freemius'), credentials: schemas.freemius }),
    z.strictObject({ acquiring: z.literal('mollie'), credentials: schemas.mollie }),
  ])
}

/** Refuses prices that the paywall's processor could not sell. */
export function checkProcessorPrices(
  { processor, prices }: { processor: { acquiring: string }; prices: WrittenPrice[] },
  context: z.RefinementCtx,
): void {
  for (const [index, price] of prices.entries()) {
    const refuse = (path: PropertyKey[], message: string) => issueAt(context, ['prices', index, ...path], message)
    checkCurrencies(processor.acquiring, price, refuse)
    if (processor.acquiring === 'freemius') checkFreemiusPrice(price, refuse)
    if (processor.acquiring === 'mollie') checkMolliePrice(price, refuse)
  }
}

type Refuse = (path: PropertyKey[], message: string) => void

function checkCurrencies(acquiring: string, price: WrittenPrice, refuse: Refuse): void {
  const places = [
    { path: [], sold: price },
    ...price.locals.map((sold, position) => ({ path: ['locals', position], sold })),
  ]
  for (const { path, sold } of places) {
    const problem = currencyProblem(acquiring, sold)
    if (problem) refuse([...path, problem.field], problem.message)
  }
}

function checkFreemiusPrice({ processorPrice, locals }: WrittenPrice, refuse: Refuse): void {
  const isPricing = (text: string) => /^\d+:\d+$/.test(text)
  const message = 'must be plan_id:pricing_id'
  if (!isPricing(processorPrice)) refuse(['processorPrice'], message)
  for (const [position, local] of locals.entries()) {
    if (!isPricing(local.processorPrice)) refuse(['locals', position, 'processorPrice'], message)
  }
}

/** How many of each are a year, because Mollie waits no longer than that between two charges. */
const MOLLIE_MAX_INTERVALS = { day: 365, week: 52, month: 12, year: 1 }

function checkMolliePrice({ interval, interval_count: count, amount, locals }: WrittenPrice, refuse: Refuse): void {
  if (interval && (count ?? 1) > MOLLIE_MAX_INTERVALS[interval]) {
    refuse(
      ['interval_count'],
      `Mollie charges once a year at least: ${MOLLIE_MAX_INTERVALS[interval]} with ${interval}`,
    )
  }
  const message = 'Mollie charges nothing less than the smallest coin'
  if (amount === 0) refuse(['amount'], message)
  for (const [position, local] of locals.entries()) {
    if (local.amount === 0) refuse(['locals', position, 'amount'], message)
  }
}
