import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { isFromHere } from '../../emulators/core/from-here.ts'
import { close, listen } from '../../emulators/core/listen.ts'
import { createArrivals } from './arrivals.ts'
import { isSignedWithAny, Received } from './received.ts'
import { sendFrontPage, sendJson } from './send.ts'

/** How the receiver responds to a POST. Fields that are left out: 200, no further header, no body. */
export interface ReceiverResponse {
  status?: number
  headers?: Record<string, string>
  body?: string
}

/** Stands in for an owner's backend: it keeps the webhooks that arrive, for home to show. */
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
  /** A file that keeps what arrives; without it all is gone at the end. */
  path?: string | undefined
  /** The page that shows what arrived. */
  page?: string | undefined
}

/**
 * Starts the receiver. A POST to `/webhooks`, or to a path below it, is verified, kept, and answered as `answer` says.
 * `/events.json` has what arrived, the latest first, and `/` leads to the page of it.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { port = 0, secrets, madeSecrets = async () => [], path: keptIn, page } = options
  const arrivals = createArrivals(keptIn === undefined ? undefined : { path: keptIn, schema: Received })
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
    if (!isFromHere(request.headers)) return void response.writeHead(403).end()
    if (path === '/') return sendFrontPage(response, page)
    if (path === '/events.json') return sendJson(response, arrivals.items.toReversed())
    response.writeHead(404).end()
  }

  async function receive(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const body = await text(request)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const at = new Date()
    const verified =
      isSignedWithAny(secrets(), body, headers) || isSignedWithAny(await readMadeSecrets(), body, headers)
    const arrived = { id: randomUUID(), at, path, headers, body, verified }
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
