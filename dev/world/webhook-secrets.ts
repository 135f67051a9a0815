import type pg from 'pg'
import { unsealOrNull } from '../../cli/apply/stored.ts'
import { webhookContext } from '../../cli/apply/webhooks.ts'
import type { PaywallFile } from '../../cli/paywall-file/file.ts'

/**
 * Adds the generated secrets of webhook endpoints, which the database has sealed, to an applied file. A secret that the key cannot
 * unseal stays null.
 */
export async function withWebhookSecrets(file: PaywallFile, database: pg.Pool, key: string): Promise<PaywallFile> {
  if (file.webhooks.every(({ secret }) => secret !== null)) return file
  const { rows } = await database.query<{ url: string; is_test: boolean; secret: string }>(
    `select w.url, w.is_test, w.secret from webhook_endpoints w join owners o on o.id = w.owner_id
     where o.email = $1 and w.disabled_at is null`,
    [file.owner.email],
  )
  const findSecret = async ({ url, is_test }: PaywallFile['webhooks'][number]) => {
    const stored = rows.find((row) => row.url === url && row.is_test === is_test)
    return stored ? unsealOrNull(stored.secret, key, webhookContext(url)) : null
  }
  const webhooks = file.webhooks.map(async (webhook) => ({
    ...webhook,
    secret: webhook.secret ?? (await findSecret(webhook)),
  }))
  return { ...file, webhooks: await Promise.all(webhooks) }
}
