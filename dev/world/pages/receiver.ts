import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { close, listen } from '../../emulators/core/listen.ts'
import { createArrivals } from './arrivals.ts'
import { isSignedWithAny, type Received } from './received.ts'
import { receiverPage } from './receiver-page.ts'
import { sendText } from './send-text.ts'

/** How the receiver responds to a POST. Fields that are left out: 200, no further header, no body. */
export interface ReceiverResponse {
  status?: number
  headers?: Record<string, string>
  body?: string
}

/** Stands in for an owner's backend: it keeps the webhooks that arrive and shows them on a page. */
export interface Receiver {
  readonly url: string
  /** What arrived, oldest first. */
  readonly received: Received[]
  /** Chooses the response to each POST from now on. */
  answer: (received: Received) => ReceiverResponse | Promise<ReceiverResponse>
  /** The first that arrived, or will arrive, and satisfies `wanted`; fails after `timeoutMs`. */
  waitFor(wanted: (received: Received) => boolean, timeoutMs?: number): Promise<Received>
  close(): Promise<void>
}

interface ReceiverOptions {
  port?: number
  /** The secrets that the owner wrote into the paywall file. */
  secrets: () => string[]
  /** The secrets that the owner was given. They are read only if none of `secrets` fits. */
  madeSecrets?: () => Promise<string[]>
}

/**
 * Starts the receiver. A POST to `/webhooks`, or to a path below it, is verified, kept, and answered as `answer` says. `/`
 * is a page of what arrived, `/events.json` the same as JSON, the latest first.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { port = 0, secrets, madeSecrets = async () => [] } = options
  const arrivals = createArrivals<Received>()
  const server = createServer((request, response) => void respond(request, response))
  const url = await listen(server, port)
  const receiver: Receiver = {
    url,
    received: arrivals.items,
    answer: () => ({}),
    waitFor: (wanted, timeoutMs = 10_000) =>
      arrivals.waitFor((received) => received.find(wanted), timeoutMs, 'no such webhook'),
    close: () => close(server),
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', url).pathname
    if (request.method === 'POST' && /^\/webhooks(\/|$)/.test(path)) return receive(request, response, path)
    if (request.method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end()
    const latestFirst = arrivals.items.toReversed()
    if (path === '/') return sendText(response, 'text/html', receiverPage(latestFirst))
    if (path === '/events.json') return sendText(response, 'application/json', JSON.stringify(latestFirst))
    response.writeHead(404).end()
  }

  async function receive(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const body = await text(request)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const at = new Date()
    const verified =
      isSignedWithAny(secrets(), body, headers) || isSignedWithAny(await readMadeSecrets(), body, headers)
    const arrived = { at, path, headers, body, verified }
    arrivals.add(arrived)
    const { status = 200, headers: extra = {}, body: reply = '' } = await receiver.answer(arrived)
    response.writeHead(status, extra).end(reply)
  }

  /** None while the database is down: a webhook that comes then is shown as not verified. */
  const readMadeSecrets = () =>
    madeSecrets().catch((error) => {
      console.error(`the receiver cannot read the webhook endpoints' secrets: ${error}`)
      return []
    })

  return receiver
}
