import { setTimeout as delay } from 'node:timers/promises'

/**
 * A page as server-sent events: at first, and whenever it has changed. It is rendered every `pollMs` milliseconds. A failure is
 * sent once, and polling goes on: Postgres may be restarting.
 */
export async function* streamChanges(
  render: () => Promise<string>,
  { pollMs, signal }: { pollMs: number; signal: AbortSignal },
): AsyncGenerator<string> {
  let last = ''
  while (!signal.aborted) {
    const text = await render().then(toServerEvent, toErrorEvent)
    if (text !== last) yield text
    last = text
    await delay(pollMs, undefined, { signal }).catch(() => undefined) // the browser has disconnected
  }
}

const toServerEvent = (page: string) => `data: ${JSON.stringify(page)}\n\n`

const toErrorEvent = (error: unknown) => `event: render-error\ndata: ${JSON.stringify(String(error))}\n\n`
