import { type HttpRequest, type HttpResponse, serve } from './server.ts'
import type { State } from './state.ts'

const EXPIRY_SWEEP_MS = 30_000

interface Parts {
  port: number
  handle: (request: HttpRequest) => Promise<HttpResponse | null>
  /** Closes every hosted page whose time is over. */
  expirePages: () => void
  webhooks: { close(): Promise<void> }
  state: Pick<State<unknown>, 'save'>
}

/**
 * Serves an emulator on 127.0.0.1 and expires its pages every half minute. Closing it ends the requests first, then the
 * deliveries, and saves last, so that nothing changes any more after the last save.
 */
export async function runEmulator({ port, handle, expirePages, webhooks, state }: Parts) {
  const sweep = setInterval(expirePages, EXPIRY_SWEEP_MS).unref()
  const server = await serve(port, handle)
  return {
    url: server.url,
    async close() {
      clearInterval(sweep)
      await server.close()
      await webhooks.close()
      await state.save()
    },
  }
}
