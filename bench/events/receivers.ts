import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import * as z from 'zod'
import { close, listen } from '../../dev/emulators/core/listen.ts'

/** An attempt that reached a webhook endpoint. Times are in milliseconds since 1970. */
export interface Arrival {
  receiver: number
  eventId: string
  /** The event's timestamp, which is about when it was committed. */
  happenedAt: number
  at: number
}

/** The servers of an owner's webhook endpoints, by number. They answer 200 at once, except hanging ones. */
export interface Receivers extends AsyncDisposable {
  getUrl(receiver: number): string
  /** First attempts only, without retries of hanging requests. */
  arrivals: Arrival[]
  /** The receivers that accept requests and never respond. */
  hanging: Set<number>
  /** Closes hanging connections and clears all arrivals. */
  reset(): void
}

const Event = z.object({ id: z.string(), timestamp: z.coerce.date() })

export async function openReceivers(): Promise<Receivers> {
  const arrivals = new Map<string, Arrival>()
  const hanging = new Set<number>()
  const hangingResponses = new Set<ServerResponse>()
  const server = createServer((request, response) => void receive(request, response))
  const url = await listen(server, 0)

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receiver = Number(request.url?.split('/').at(-1))
    const { id, timestamp } = Event.parse(JSON.parse(await text(request)))
    const key = `${receiver} ${id}`
    if (!arrivals.has(key))
      arrivals.set(key, { receiver, eventId: id, happenedAt: timestamp.getTime(), at: Date.now() })
    if (!hanging.has(receiver)) return void response.writeHead(200).end()
    hangingResponses.add(response)
    await once(response, 'close')
    hangingResponses.delete(response)
  }

  return {
    getUrl: (receiver) => `${url}/webhooks/${receiver}`,
    get arrivals() {
      return [...arrivals.values()]
    },
    hanging,
    reset() {
      hanging.clear()
      for (const response of hangingResponses) response.destroy()
      arrivals.clear()
    },
    async [Symbol.asyncDispose]() {
      for (const response of hangingResponses) response.destroy()
      await close(server)
    },
  }
}
