import { type HttpRequest, type HttpResponse, serve } from './server.ts'
import type { State } from './state.ts'

const REAL_TIME_CHECK_MS = 30_000

interface RunOptions {
  port: number
  handle: (request: HttpRequest) => Promise<HttpResponse | null>
  /** Runs due work that also happens in real time, such as the expiry of a hosted page. */
  runRealTimeDues: () => void
  webhooks: { close(): Promise<void> }
  state: Pick<State<unknown>, 'save'>
}

/**
 * Serves an emulator on 127.0.0.1, and runs what is due every half minute. On close it ends requests first, then deliveries, and saves
 * last, so that nothing changes after the last save.
 */
export async function runEmulator({ port, handle, runRealTimeDues, webhooks, state }: RunOptions) {
  const timer = setInterval(runRealTimeDues, REAL_TIME_CHECK_MS).unref()
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
