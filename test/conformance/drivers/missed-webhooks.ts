import type { Shop } from '../shop.ts'

/** While something goes on, no webhook is sent and every read is refused. The webhooks come when it is over. */
export async function unheard({ emulator }: Shop, meanwhile: () => Promise<unknown>): Promise<void> {
  emulator.holdWebhooks()
  emulator.onCall = async ({ method }, run) => (method === 'GET' ? { status: 401, headers: {}, body: '{}' } : run())
  try {
    await meanwhile()
  } finally {
    emulator.onCall = undefined
    await emulator.sendHeldWebhooks()
  }
}
