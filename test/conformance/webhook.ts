import { call, type Reply } from '../support/call.ts'
import type { Webhook } from './drivers/driver.ts'
import type { Shop } from './shop.ts'

/** Gives the webhooks that there have been since now, whether they were sent or not. */
export function webhooksSince({ emulator }: Shop): () => Webhook[] {
  const known = new Set(emulator.events.map(({ id }) => id))
  return () =>
    emulator.events
      .filter(({ id }) => !known.has(id))
      .map((event) => ({ id: event.id, body: JSON.stringify(event), at: new Date() }))
}

/** The webhooks of what happens meanwhile, none of which is sent. */
export async function heldWebhooks(shop: Shop, meanwhile: () => Promise<unknown>): Promise<Webhook[]> {
  const since = webhooksSince(shop)
  shop.emulator.holdWebhooks()
  await meanwhile()
  await shop.emulator.sendHeldWebhooks(() => [])
  return since()
}

/** Sends a webhook as its processor does, but for what is given. */
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
