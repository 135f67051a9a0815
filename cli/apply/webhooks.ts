// The owner's webhook endpoints: compares the file with the database, saves the differences, and reads the signing secrets.
import { sql } from 'kysely'
import { seal, unseal } from '../../lib/crypto/seal.ts'
import { newWebhookSecret, webhookContext } from '../../lib/events/webhook-secret.ts'
import type { Database } from '../database.ts'
import type { PaywallFile } from '../paywall-file/file.ts'
import { type Change, fieldsBetween, toChange, toDestructiveChange, toFieldChange } from './changes.ts'
import type { NewSecret } from './keys.ts'
import { type StoredState, type StoredWebhook, unsealOrNull } from './stored.ts'

export interface WebhooksDifference {
  changes: Change[]
  newSecrets: NewSecret[]
  toDisable: Endpoint[]
  toSave: WebhookRow[]
}

/** Identifies an owner's webhook endpoint: the same URL may receive test events and live ones. */
type Endpoint = Pick<FileWebhook, 'url' | 'is_test'>

interface WebhookRow extends Endpoint {
  /** Sealed. */
  secret: string
  events: string[]
  /** Whether the file does not contain the secret: then it can be rotated without the file. */
  is_secret_generated: boolean
  /** Whether no key decrypts the stored secret. It cannot sign any more, so only the new one does. */
  isLost?: boolean
}

type FileWebhook = PaywallFile['webhooks'][number]

/** Compares the owner's enabled webhook endpoints with the file's. `sealingKey` encrypts their secrets. */
export async function compareWebhooks(
  { webhooks }: PaywallFile,
  stored: StoredState,
  sealingKey: string,
): Promise<WebhooksDifference> {
  const difference: WebhooksDifference = { changes: [], newSecrets: [], toDisable: [], toSave: [] }
  for (const webhook of webhooks) {
    const known = stored.webhooks.find((each) => isSame(each, webhook))
    const secret = known ? await unsealOrNull(known.secret, sealingKey, webhookContext(known.url)) : null
    const hasItsSecret = secret && (webhook.secret ?? secret) === secret
    if (known && hasItsSecret) compareFields(difference, webhook, known)
    else await setSecret(difference, webhook, known, known !== undefined && secret === null, sealingKey)
  }
  difference.toDisable = stored.webhooks.filter(
    (known) => !known.disabled && !webhooks.some((webhook) => isSame(known, webhook)),
  )
  difference.changes.push(
    ...difference.toDisable.map((endpoint) => toDestructiveChange(webhookName(endpoint), 'disabled', 'all')),
  )
  return difference
}

const isSame = (one: Endpoint, other: Endpoint) => one.url === other.url && one.is_test === other.is_test

/** The name in messages: `live webhook https://…`. */
export const webhookName = ({ url, is_test }: Endpoint) => `${is_test ? 'test' : 'live'} webhook ${url}`

function compareFields(difference: WebhooksDifference, webhook: FileWebhook, known: StoredWebhook): void {
  const { url, is_test, events } = webhook
  const what = webhookName(webhook)
  const isGenerated = webhook.secret === null
  const origin = (generated: boolean) => (generated ? 'generated' : 'in the file')
  const fields = [
    ...fieldsBetween(known.events.join(' '), events.join(' '), ['events']),
    ...fieldsBetween(origin(known.is_secret_generated), origin(isGenerated), ['secret']),
  ]
  const change = toFieldChange(what, fields)
  if (known.disabled) difference.changes.push({ ...toChange(what, 'enabled again'), fields })
  else if (change) difference.changes.push(change)
  else return
  difference.toSave.push({ url, is_test, events, secret: known.secret, is_secret_generated: isGenerated })
}

async function setSecret(
  difference: WebhooksDifference,
  webhook: FileWebhook,
  known: StoredWebhook | undefined,
  isLost: boolean,
  sealingKey: string,
): Promise<void> {
  const { url, is_test, events, secret: secretInFile } = webhook
  const secret = secretInFile ?? newWebhookSecret()
  const what = webhookName(webhook)
  if (secretInFile === null) difference.newSecrets.push({ what, secret })
  const rotation = isLost ? 'no key decrypts the old one' : 'the old one also signs for 24 hours'
  const how = known ? `new secret, ${rotation}` : `new, receives ${events.join(', ')}`
  difference.changes.push(toChange(what, how))
  difference.toSave.push({
    url,
    is_test,
    events,
    secret: await seal(secret, sealingKey, webhookContext(url)),
    is_secret_generated: secretInFile === null,
    isLost,
  })
}

export async function disableWebhooks(db: Database, ownerId: string, endpoints: Endpoint[]): Promise<void> {
  if (endpoints.length === 0) return
  await db
    .updateTable('webhook_endpoints')
    .set({ disabled_at: sql`now()` })
    .where('owner_id', '=', ownerId)
    .where(({ eb, or }) => or(endpoints.map(({ url, is_test }) => eb.and({ url, is_test }))))
    .where('disabled_at', 'is', null)
    .execute()
}

/**
 * Adds or updates webhook endpoints, and enables them. For 24 hours after a change of the secret the old one also signs, if it can be
 * decrypted.
 */
export async function saveWebhooks(db: Database, ownerId: string, webhooks: WebhookRow[]): Promise<void> {
  if (webhooks.length === 0) return
  const lostSecrets = webhooks.filter(({ isLost }) => isLost).map(({ secret }) => secret)
  await db
    .insertInto('webhook_endpoints')
    .values(webhooks.map(({ isLost: _, ...webhook }) => ({ ...webhook, owner_id: ownerId })))
    .onConflict((conflict) =>
      conflict.columns(['owner_id', 'is_test', 'url']).doUpdateSet(({ eb, ref }) => {
        const isSameSecret = eb('webhook_endpoints.secret', '=', ref('excluded.secret'))
        const isLost = sql<boolean>`excluded.secret = any(${lostSecrets}::text[])`
        return {
          secret: ref('excluded.secret'),
          events: ref('excluded.events'),
          is_secret_generated: ref('excluded.is_secret_generated'),
          disabled_at: null,
          held_until: null,
          previous_secret: eb
            .case()
            .when(isSameSecret)
            .then(ref('webhook_endpoints.previous_secret'))
            .when(isLost)
            .then(null)
            .else(ref('webhook_endpoints.secret'))
            .end(),
          previous_secret_until: eb
            .case()
            .when(isSameSecret)
            .then(ref('webhook_endpoints.previous_secret_until'))
            .when(isLost)
            .then(null)
            .else(sql<Date>`now() + interval '24 hours'`)
            .end(),
        }
      }),
    )
    .execute()
}

/**
 * Reads the signing secrets, `whsec_…`, of all enabled webhook endpoints in the database, including those that `paywall apply` generated.
 * An endpoint has two for 24 hours after a change.
 */
export async function signingSecrets(db: Database, sealingKey: string): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook_endpoints')
    .select(['url', 'secret'])
    .where('disabled_at', 'is', null)
    .unionAll(
      db
        .selectFrom('webhook_endpoints')
        .select(({ ref }) => ['url', ref('previous_secret').$notNull().as('secret')])
        .where('previous_secret', 'is not', null)
        .where('previous_secret_until', '>', sql<Date>`now()`),
    )
    .execute()
  return Promise.all(rows.map(({ url, secret }) => unseal(secret, sealingKey, webhookContext(url))))
}
