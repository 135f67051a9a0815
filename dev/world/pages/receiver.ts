import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { close, listen } from '../../web/listen.ts'
import { receiverPage } from './receiver-page.ts'

/** One POST that reached the receiver. */
export interface Received {
  /** When it arrived. */
  at: Date
  path: string
  headers: Record<string, string>
  /** The raw body: what was signed. */
  body: string
  /** Whether the signature fits one of the known secrets. */
  verified: boolean
}

/** How the receiver answers; 200 at once where a member is left out. */
export interface Answer {
  status?: number
  headers?: Record<string, string>
  body?: string
  /** Waits so long before it answers. */
  delayMs?: number
}

/** An owner's backend, as far as webhooks go: it keeps what arrives and shows it on a page. */
export interface Receiver {
  readonly url: string
  /** What arrived, oldest first. */
  readonly received: Received[]
  /** Chooses the answer to each POST from now on. */
  answer: (received: Received) => Answer | Promise<Answer>
  /** The first that arrived, or will arrive, and satisfies `wanted`; fails after `timeoutMs`. */
  waitFor(wanted: (received: Received) => boolean, timeoutMs?: number): Promise<Received>
  close(): Promise<void>
}

/** Enough for a page; the oldest go first. */
const KEPT = 1000

/**
 * Receives on `POST /hooks` and any path below. `secrets` are those that the owner wrote down, `whsec_…`; where none of
 * them fits, `madeSecrets` are asked for: those that the owner was given.
 */
export async function startReceiver({
  port = 0,
  secrets,
  madeSecrets = async () => [],
}: {
  port?: number
  secrets: () => string[]
  madeSecrets?: () => Promise<string[]>
}): Promise<Receiver> {
  const received: Received[] = []
  const waiting = new Set<(arrived: Received) => void>()
  const server = createServer((request, response) => void respond(request, response))
  const url = await listen(server, port)
  const receiver: Receiver = {
    url,
    received,
    answer: () => ({}),
    waitFor,
    close: () => close(server),
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', url).pathname
    if (request.method === 'POST' && /^\/hooks(\/|$)/.test(path)) return receive(request, response, path)
    if (request.method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end()
    if (path === '/') return void sendText(response, 'text/html', receiverPage(received.toReversed()))
    if (path === '/events.json')
      return void sendText(response, 'application/json', JSON.stringify(received.toReversed()))
    response.writeHead(404).end()
  }

  async function receive(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const body = await text(request)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const at = new Date()
    const verified = isSigned(body, headers, secrets()) || isSigned(body, headers, await knownSecrets())
    const arrived = { at, path, headers, body, verified }
    received.push(arrived)
    if (received.length > KEPT) received.shift()
    for (const arrive of waiting) arrive(arrived)
    const { status = 200, headers: extra = {}, body: reply = '', delayMs = 0 } = await receiver.answer(arrived)
    if (delayMs > 0) await delay(delayMs)
    response.writeHead(status, extra).end(reply)
  }

  /** None while the database is away: what comes then is shown as unproven. */
  const knownSecrets = () =>
    madeSecrets().catch((error) => {
      console.error(`the receiver cannot read the endpoints' secrets: ${error}`)
      return []
    })

  function waitFor(wanted: (arrived: Received) => boolean, timeoutMs = 10_000): Promise<Received> {
    const known = received.find(wanted)
    if (known) return Promise.resolve(known)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => settle(() => reject(new Error(`no such webhook within ${timeoutMs} ms`))),
        timeoutMs,
      )
      const arrive = (arrived: Received) => {
        if (wanted(arrived)) settle(() => resolve(arrived))
      }
      const settle = (how: () => void) => {
        clearTimeout(timer)
        waiting.delete(arrive)
        how()
      }
      waiting.add(arrive)
    })
  }

  return receiver
}

function sendText(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body)
}

function isSigned(body: string, headers: Record<string, string>, secrets: string[]): boolean {
  return secrets.some((secret) => {
    try {
      new Webhook(secret).verify(body, headers)
      return true
    } catch (error) {
      if (error instanceof WebhookVerificationError || error instanceof SyntaxError) return false
      throw error
    }
  })
}
