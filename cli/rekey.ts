// `paywall rekey`: the step of a key rotation that re-encrypts, with the first key, every secret encrypted with another one:
// 1. list the owners
// 2. for each, in a transaction under the same lock as `apply`, decrypt its secrets and encrypt them again
// 3. print the counts, and name the secrets that no key decrypts
import { sql } from 'kysely'
import { isSealedWithFirst, seal } from '../lib/crypto/seal.ts'
import { turnstileContext } from '../lib/crypto/turnstile-context.ts'
import { webhookContext } from '../lib/events/webhook-secret.ts'
import { accountContext } from '../lib/processors/account.ts'
import { lockOwner } from './apply/apply.ts'
import { unsealOrNull } from './apply/stored.ts'
import { webhookName } from './apply/webhooks.ts'
import { CommandError, type CommandResult, required, type SealingKeys, sealingKeys } from './command.ts'
import { type Database, withDatabase } from './database.ts'
import { enterLocalWorld } from './local-world.ts'

/** Counts of what was done, and an error message for each secret that no key decrypts. */
interface Rekeyed {
  accounts: number
  webhookSecrets: number
  turnstileKeys: number
  /** Removed webhook secrets: they were replaced over a day ago and sign nothing any more. */
  removed: number
  unopened: string[]
}

export async function runRekey(): Promise<CommandResult> {
  enterLocalWorld()
  const sealing = sealingKeys()
  const rekeyed = await withDatabase(required('DATABASE_URL'), (db) => rekey(db, sealing))
  const { accounts, webhookSecrets, turnstileKeys, removed, unopened } = rekeyed
  const json = { accounts, webhook_secrets: webhookSecrets, turnstile_keys: turnstileKeys, removed, unopened }
  const done = { text: summarize(rekeyed), json }
  if (unopened.length === 0) return done
  const advice = 'add the key that encrypted these secrets, or apply the paywall file that contains them'
  throw new CommandError([...unopened, advice], { done })
}

/**
 * One transaction per owner: if one fails, the others stay committed and a repeat resumes. The owner's lock keeps `apply` from
 * overwriting the result, and the other way round.
 */
async function rekey(db: Database, sealing: SealingKeys): Promise<Rekeyed> {
  const rekeyed: Rekeyed = { accounts: 0, webhookSecrets: 0, turnstileKeys: 0, removed: 0, unopened: [] }
  const owners = await db.selectFrom('owners').select(['id', 'email']).orderBy('id').execute()
  for (const { id, email } of owners) {
    await db.transaction().execute(async (transaction) => {
      await lockOwner(transaction, email)
      await rekeyAccounts(transaction, id, sealing.processorCredentialsKey, rekeyed)
      await rekeyWebhooks(transaction, id, sealing.webhookSecretsKey, rekeyed)
      await rekeyTurnstile(transaction, id, sealing.turnstileSecretsKey, rekeyed)
    })
  }
  return rekeyed
}

/** Includes accounts at former processors: purchases made there continue. */
async function rekeyAccounts(db: Database, ownerId: string, keys: string, rekeyed: Rekeyed): Promise<void> {
  const accounts = await db
    .selectFrom('processor_accounts')
    .innerJoin('paywalls', 'paywalls.id', 'paywall_id')
    .select(['paywall_id', 'processor_accounts.acquiring', 'credentials'])
    .where('owner_id', '=', ownerId)
    .execute()
  for (const { paywall_id, acquiring, credentials } of accounts) {
    const sealed = await sealAnew(credentials, keys, accountContext({ paywallId: paywall_id, acquiring }))
    if (sealed === null) rekeyed.unopened.push(`paywall ${paywall_id}: no key decrypts its ${acquiring} credentials`)
    if (sealed === null || sealed === credentials) continue
    await db
      .updateTable('processor_accounts')
      .set({ credentials: sealed })
      .where('paywall_id', '=', paywall_id)
      .where('acquiring', '=', acquiring)
      .execute()
    rekeyed.accounts += 1
  }
}

/** Includes disabled webhook endpoints: they may be enabled again. */
async function rekeyWebhooks(db: Database, ownerId: string, keys: string, rekeyed: Rekeyed): Promise<void> {
  const webhooks = await db
    .selectFrom('webhook_endpoints')
    .select(['id', 'url', 'is_test', 'secret', 'previous_secret'])
    .select(sql<boolean>`coalesce(previous_secret_until > now(), false)`.as('signs_twice'))
    .where('owner_id', '=', ownerId)
    .execute()
  for (const { id, url, is_test, secret, previous_secret: previous, signs_twice } of webhooks) {
    const context = webhookContext(url)
    const what = webhookName({ url, is_test })
    const sealed = await sealAnew(secret, keys, context)
    const previousSealed = previous !== null && signs_twice ? await sealAnew(previous, keys, context) : null
    if (sealed === null) rekeyed.unopened.push(`${what}: no key decrypts its secret`)
    if (previous !== null && signs_twice && previousSealed === null) {
      rekeyed.unopened.push(`${what}: no key decrypts its previous secret`)
    }
    const next = { secret: sealed ?? secret, previous_secret: signs_twice ? (previousSealed ?? previous) : null }
    if (next.secret === secret && next.previous_secret === previous) continue
    await db
      .updateTable('webhook_endpoints')
      .set({ ...next, held_until: null, ...(!signs_twice && { previous_secret_until: null }) })
      .where('id', '=', id)
      .execute()
    rekeyed.webhookSecrets += Number(next.secret !== secret) + Number(signs_twice && next.previous_secret !== previous)
    rekeyed.removed += Number(previous !== null && !signs_twice)
  }
}

async function rekeyTurnstile(db: Database, ownerId: string, keys: string, rekeyed: Rekeyed): Promise<void> {
  const rows = await db
    .selectFrom('turnstile_keys')
    .select(['paywall_id', 'secret_key'])
    .where('owner_id', '=', ownerId)
    .execute()
  for (const { paywall_id, secret_key } of rows) {
    const sealed = await sealAnew(secret_key, keys, turnstileContext(paywall_id))
    if (sealed === null) rekeyed.unopened.push(`paywall ${paywall_id}: no key decrypts its Turnstile secret key`)
    if (sealed === null || sealed === secret_key) continue
    await db
      .updateTable('turnstile_keys')
      .set({ secret_key: sealed })
      .where('owner_id', '=', ownerId)
      .where('paywall_id', '=', paywall_id)
      .execute()
    rekeyed.turnstileKeys += 1
  }
}

/** Encrypts a secret with the first key, unless it already is; null if no key decrypts it. */
async function sealAnew(sealed: string, keys: string, context: string): Promise<string | null> {
  const secret = await unsealOrNull(sealed, keys, context)
  if (secret === null) return null
  return (await isSealedWithFirst(sealed, keys)) ? sealed : seal(secret, keys, context)
}

function summarize({ accounts, webhookSecrets, turnstileKeys, removed }: Rekeyed): string {
  const parts = [
    accounts > 0 && `re-encrypted the credentials of ${accounts} processor accounts`,
    webhookSecrets > 0 && `re-encrypted ${webhookSecrets} webhook secrets`,
    turnstileKeys > 0 && `re-encrypted ${turnstileKeys} Turnstile secret keys`,
    removed > 0 && `removed ${removed} webhook secrets that were replaced over a day ago`,
  ].filter((part) => part !== false)
  return parts.length > 0
    ? `Done: ${parts.join(', ')}.`
    : 'Nothing to re-encrypt: every secret that can be decrypted already uses the first key.'
}
