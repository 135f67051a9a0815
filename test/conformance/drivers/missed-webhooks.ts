import type { Shop } from '../shop.ts'

/** Holds webhooks and refuses all reads while `meanwhile` runs. The webhooks are sent afterwards. */
export async function beforeWebhooksArrive({ emulator }: Shop, meanwhile: () => Promise<unknown>): Promise<void> {
  emulator.holdWebhooks()
  emulator.onCall = async ({ method }, run) => (method === 'GET' ? { status: 401, headers: {}, body: '{}' } : run())
  try {
    await meanwhile()
  } finally {
    emulator.onCall = undefined
    await emulator.sendHeldWebhooks()
  }
}
