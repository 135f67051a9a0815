import { type HttpRequest, type HttpResponse, serve } from './server.ts'
import type { State } from './state.ts'

const SWEEP_MS = 30_000

interface Parts {
  port: number
  handle: (request: HttpRequest) => Promise<HttpResponse | null>
  /** Makes happen what happens by itself in real time, such as the end of a hosted page. */
  sweep: () => void
  webhooks: { close(): Promise<void> }
  state: Pick<State<unknown>, 'save'>
}

/**
 * Serves an emulator on 127.0.0.1 and sweeps every half minute. Closing it ends the requests first, then the
 * deliveries, and saves last, so that nothing changes any more after the last save.
 */
export async function runEmulator({ port, handle, sweep, webhooks, state }: Parts) {
  const timer = setInterval(sweep, SWEEP_MS).unref()
  const server = await serve(port, handle)
  return {
    url: server.url,
    async close() {
      clearInterval(timer)
      await server.close()
      await webhooks.close()
      await state.save()
    },
  }
}
