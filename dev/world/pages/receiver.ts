import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { isFromHere } from '../../emulators/core/from-here.ts'
import { close, listen } from '../../emulators/core/listen.ts'
import { createArrivals } from './arrivals.ts'
import { isSignedWithAny, Received } from './received.ts'
import { sendFrontPage, sendJson } from './send.ts'

/** How the receiver responds to a POST. Defaults: 200, no further headers, no body. */
export interface ReceiverResponse {
  status?: number
  headers?: Record<string, string>
  body?: string
}

/** Stands in for an owner's backend: keeps the webhooks that arrive, for home to show. */
export interface Receiver {
  readonly url: string
  /** What arrived, oldest first. */
  readonly received: Received[]
  /** Returns the response to each POST; tests replace it. */
  answer: (received: Received) => ReceiverResponse | Promise<ReceiverResponse>
  /** Resolves to the first webhook, past or future, that satisfies `wanted`; rejects after `timeoutMs`. */
  waitFor(wanted: (received: Received) => boolean, timeoutMs?: number): Promise<Received>
  close(): Promise<void>
}

interface ReceiverOptions {
  port?: number
  /** The secrets in the paywall files. */
  secrets: () => string[]
  /** The generated secrets. They are read only if none of `secrets` verifies the signature. */
  madeSecrets?: () => Promise<string[]>
  /** A file that keeps the webhooks; without it they are lost at the end. */
  path?: string | undefined
  /** The URL of the page that shows the webhooks. */
  page?: string | undefined
}

/**
 * Starts the receiver. A POST to `/webhooks`, or to a path below it, is verified, kept, and answered with the result of `answer`.
 * `/events.json` has all webhooks, newest first, and `/` redirects to their page.
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

  /** Empty while the database is down: webhooks that arrive then are shown as not verified. */
  const readMadeSecrets = () =>
    madeSecrets().catch((error) => {
      console.error(`the receiver cannot read the webhook endpoints' secrets: ${error}`)
      return []
    })

  return receiver
}
