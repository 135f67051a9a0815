import { setTimeout as delay } from 'node:timers/promises'

/**
 * A page as server-sent events: how it is at first, and then whenever it has changed, which is looked at every `lookMs`
 * milliseconds. A look that fails is told once, and the next one is made all the same: Postgres may be starting again.
 */
export async function* streamChanges(
  render: () => Promise<string>,
  { lookMs, signal }: { lookMs: number; signal: AbortSignal },
): AsyncGenerator<string> {
  let last = ''
  while (!signal.aborted) {
    const text = await render().then(toServerEvent, describeTrouble)
    if (text !== last) yield text
    last = text
    await delay(lookMs, undefined, { signal }).catch(() => undefined) // the browser has left
  }
}

const toServerEvent = (page: string) => `data: ${JSON.stringify(page)}\n\n`

const describeTrouble = (error: unknown) => `event: trouble\ndata: ${JSON.stringify(String(error))}\n\n`
