import { setTimeout as delay } from 'node:timers/promises'

const LOOK_MS = 1000

/**
 * A page as server-sent events: how it is at first, and then whenever it has changed. A look that fails is told once, and the
 * next one is made all the same: Postgres may be starting again.
 */
export async function* changesOf(render: () => Promise<string>, signal: AbortSignal): AsyncGenerator<string> {
  let last = ''
  while (!signal.aborted) {
    const text = await render().then(eventOf, troubleOf)
    if (text !== last) yield text
    last = text
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined) // the browser has left
  }
}

const eventOf = (page: string) => `data: ${JSON.stringify(page)}\n\n`

const troubleOf = (error: unknown) => `event: trouble\ndata: ${JSON.stringify(String(error))}\n\n`
