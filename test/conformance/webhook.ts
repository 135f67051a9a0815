import { accountRecords } from '../../dev/emulators/core/acts/account-records.ts'
import { call, type Reply } from '../support/call.ts'
import type { Webhook } from './drivers/driver.ts'
import type { Shop } from './shop.ts'

/** Returns a function that gets the ids of new events in the shop's account, whether their webhooks were sent or not. */
export function eventsSince({ emulator, paywall }: Shop): () => string[] {
  const events = accountRecords(emulator, paywall.id)
  const known = new Set(events('events').map(({ id }) => id))
  return () => events('events').flatMap(({ id }) => (known.has(id) ? [] : [id]))
}

/** Returns a function that gets the new webhooks of the shop's account. */
export function webhooksSince(shop: Shop): () => Webhook[] {
  const since = eventsSince(shop)
  return () => {
    const ids = new Set(since())
    const events = shop.emulator.events.filter(({ id }) => ids.has(id))
    return events.map((event) => ({ id: event.id, body: JSON.stringify(event), at: new Date() }))
  }
}

/** Runs `meanwhile`, and returns its webhooks, which are not sent. */
export async function heldWebhooks(shop: Shop, meanwhile: () => Promise<unknown>): Promise<Webhook[]> {
  const since = webhooksSince(shop)
  shop.emulator.holdWebhooks()
  await meanwhile()
  await shop.emulator.sendHeldWebhooks(() => [])
  return since()
}

/** Sends a webhook as its processor would, with some fields replaced. */
export function sendWebhook(
  { world, acquiring, paywall, driver }: Shop,
  webhook: Webhook,
  { headers, body = webhook.body, paywallId = paywall.id }: Partial<Sent> = {},
): Promise<Reply> {
  const signed = headers ?? driver.sign(webhook, paywall.processor.credentials as never)
  return call(world, `/webhooks/${acquiring}/${paywallId}`, { body, headers: signed })
}

interface Sent {
  headers: Record<string, string>
  body: string
  paywallId: string
}
