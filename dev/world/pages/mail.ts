import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import * as z from 'zod'
import { close, listen } from '../../web/listen.ts'
import { mailPage } from './mail-page.ts'

/** What a Worker may send: the part of Cloudflare's message builder that ours use. */
const Message = z.strictObject({
  from: z.strictObject({ name: oneLine(), email: z.email() }),
  to: z.email(),
  subject: oneLine(),
  text: z.string(),
})

export type Mail = z.output<typeof Message> & { id: string; at: Date }

/** Where every e-mail of the local world arrives. */
export interface MailInbox {
  readonly url: string
  /** What arrived, oldest first. */
  readonly received: Mail[]
  /** Decides about each mail from now on: what it throws, the sender gets, and nothing arrives. */
  onMail: ((mail: Mail) => void | Promise<void>) | undefined
  /** Takes a message as a Worker sends it and returns its id. */
  take(message: unknown): Promise<string>
  /** The `count`th mail that arrived, or will arrive, for the address; fails after `timeoutMs`. */
  waitFor(address: string, options?: { count?: number; timeoutMs?: number }): Promise<Mail>
  close(): Promise<void>
}

/** Enough for a page; the oldest go first. */
const KEPT = 1000

export async function startMailInbox({ port = 0 }: { port?: number } = {}): Promise<MailInbox> {
  const received: Mail[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => respond(request.url ?? '/', response))
  const inbox: MailInbox = {
    url: await listen(server, port),
    received,
    onMail: undefined,
    take,
    waitFor,
    close: () => close(server),
  }

  function respond(path: string, response: ServerResponse): void {
    if (path === '/') return void sendText(response, 'text/html', mailPage(received.toReversed()))
    if (path === '/mails.json')
      return void sendText(response, 'application/json', JSON.stringify(received.toReversed()))
    response.writeHead(404).end()
  }

  async function take(message: unknown): Promise<string> {
    const mail = { ...Message.parse(message), id: randomUUID(), at: new Date() }
    await inbox.onMail?.(mail)
    received.push(mail)
    if (received.length > KEPT) received.shift()
    for (const look of waiting) look()
    return mail.id
  }

  function waitFor(address: string, { count = 1, timeoutMs = 10_000 } = {}): Promise<Mail> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(look)
        reject(new Error(`mail number ${count} for ${address} did not come within ${timeoutMs} ms`))
      }, timeoutMs)
      const look = () => {
        const mail = received.filter(({ to }) => to === address)[count - 1]
        if (!mail) return
        clearTimeout(timer)
        waiting.delete(look)
        resolve(mail)
      }
      waiting.add(look)
      look()
    })
  }

  return inbox
}

/** As Cloudflare has it: a header that goes on in another line is refused. */
function oneLine() {
  return z.string().regex(/^[^\r\n]*$/, 'must be one line')
}

function sendText(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body)
}
