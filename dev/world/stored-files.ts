import { hash } from 'node:crypto'
import {
  readStored,
  type StoredKey,
  type StoredPaywall,
  type StoredWebhook,
  unsealOrNull,
} from '../../cli/apply/stored.ts'
import type { Database } from '../../cli/database.ts'
import type { FilePaywall, PaywallFile } from '../../cli/paywall-file/file.ts'
import type { ProcessorAccount } from '../../cli/paywall-file/processor.ts'
import { turnstileContext } from '../../lib/crypto/turnstile-context.ts'
import { webhookContext } from '../../lib/events/webhook-secret.ts'
import type { Geo } from '../../lib/geo/targeting.ts'
import { accountContext } from '../../lib/processors/account.ts'
import type { Secrets } from './secrets.ts'

/** What is applied, by this world, by an earlier one or by `paywall apply`, in the form of paywall files. */
export interface StoredFiles {
  /** A file for each owner, with what is on sale now. */
  files: PaywallFile[]
  /** The paywalls at their former processors, where their purchases continue. They sell nothing there. */
  former: FilePaywall[]
}

type SealingKeys = Pick<Secrets, 'PROCESSOR_CREDENTIALS_KEY' | 'WEBHOOK_SECRETS_KEY' | 'TURNSTILE_SECRETS_KEY'>

/**
 * Reads what is applied. The database has only hashes of the owner keys: a key has its secret if one of `files` has it. Paywalls whose
 * credentials cannot be unsealed are left out: the Workers cannot use them either.
 */
export async function readStoredFiles(db: Database, keys: SealingKeys, files: PaywallFile[]): Promise<StoredFiles> {
  const keySecrets = files.flatMap((file) => file.keys.flatMap(({ secret }) => secret ?? []))
  const owners = await db.selectFrom('owners').select('email').orderBy('created_at').execute()
  const stored: StoredFiles = { files: [], former: [] }
  for (const owner of owners) {
    const state = await readStored(db, { owner, paywalls: [] }, [])
    const accounts = (await Promise.all(state.paywalls.map((paywall) => atEachProcessor(paywall, keys)))).flat()
    const isFormer = ({ id, processor }: FilePaywall) =>
      state.paywalls.some((paywall) => paywall.id === id && paywall.acquiring !== processor.acquiring)
    stored.former.push(...accounts.filter(isFormer).map((paywall) => ({ ...paywall, prices: [] })))
    stored.files.push({
      owner,
      team: state.team,
      reporting: { currency: state.reporting_currency, rates: state.rates },
      keys: state.keys.flatMap((key) => (key.revoked ? [] : toFileKey(key, keySecrets))),
      webhooks: (await Promise.all(state.webhooks.map((webhook) => toFileWebhook(webhook, keys)))).flat(),
      paywalls: accounts.filter((paywall) => !isFormer(paywall)),
    })
  }
  return stored
}

function toFileKey({ name, is_test, key_hash }: StoredKey, secrets: string[]): PaywallFile['keys'] {
  return [{ name, is_test, secret: secrets.find((secret) => hash('sha256', secret) === key_hash) ?? null }]
}

async function toFileWebhook(
  { url, is_test, events, disabled, secret: sealed }: StoredWebhook,
  { WEBHOOK_SECRETS_KEY }: SealingKeys,
): Promise<PaywallFile['webhooks']> {
  if (disabled) return []
  const secret = await unsealOrNull(sealed, WEBHOOK_SECRETS_KEY, webhookContext(url))
  return [{ url, is_test, secret, events: events as PaywallFile['webhooks'][number]['events'] }]
}

/** A paywall once for each processor at which it has an account. */
async function atEachProcessor(
  { id, name, is_test, domain, prices, ...paywall }: StoredPaywall,
  { PROCESSOR_CREDENTIALS_KEY, TURNSTILE_SECRETS_KEY }: SealingKeys,
): Promise<FilePaywall[]> {
  const [captcha] = paywall.turnstile
  const secretKey = captcha && (await unsealOrNull(captcha.secret_key, TURNSTILE_SECRETS_KEY, turnstileContext(id)))
  // These columns have what the file's schema has checked.
  const checked = paywall as unknown as Pick<
    FilePaywall,
    'settings' | 'offers' | 'discounts' | 'layout' | 'locales'
  > & { geo: Geo }
  const file: Omit<FilePaywall, 'processor'> = {
    id,
    name,
    is_test,
    domain,
    settings: checked.settings,
    geo: checked.geo,
    offers: checked.offers,
    discounts: checked.discounts,
    layout: checked.layout,
    locales: checked.locales,
    turnstile: captcha && secretKey ? { siteKey: captcha.site_key, secretKey } : null,
    prices: prices.flatMap((price) => (price.retired ? [] : toFilePrice(id, price))),
  }
  const accounts = paywall.accounts.map(async ({ acquiring, credentials: sealed }) => {
    const context = accountContext({ paywallId: id, acquiring })
    const credentials = await unsealOrNull(sealed, PROCESSOR_CREDENTIALS_KEY, context)
    if (credentials === null) return []
    return [{ ...file, processor: { acquiring, credentials: JSON.parse(credentials) } as ProcessorAccount }]
  })
  return (await Promise.all(accounts)).flat()
}

function toFilePrice(paywallId: string, { retired: _, position: __, ...price }: StoredPaywall['prices'][number]) {
  const { tokens, interval } = price as unknown as Pick<FilePaywall['prices'][number], 'tokens' | 'interval'>
  return [{ ...price, paywall_id: paywallId, amount: Number(price.amount), tokens, interval }]
}
