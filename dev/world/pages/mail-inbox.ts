import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { isFromHere } from '../../emulators/core/from-here.ts'
import { close, listen } from '../../emulators/core/listen.ts'
import { createArrivals } from './arrivals.ts'
import { Mail, Message } from './mail.ts'
import { sendFrontPage, sendJson } from './send.ts'

/** Where every e-mail of the local world arrives. */
export interface MailInbox {
  readonly url: string
  /** What arrived, oldest first. */
  readonly received: Mail[]
  /** Called with each mail before it arrives. If it throws, the sender gets the error and the mail does not arrive. */
  onMail: ((mail: Mail) => void | Promise<void>) | undefined
  /** Takes a message as a Worker sends it and returns its id. */
  take(message: unknown): Promise<string>
  /** The `count`th mail that arrived, or will arrive, for the address; fails after `timeoutMs`. */
  waitFor(address: string, options?: { count?: number; timeoutMs?: number }): Promise<Mail>
  close(): Promise<void>
}

interface MailInboxOptions {
  port?: number
  /** A file that keeps what arrives; without it all is gone at the end. */
  path?: string | undefined
  /** The page that shows what arrived. */
  page?: string | undefined
}

/** Starts the inbox: `/mails.json` has all mails, the latest first, and `/` leads to the page of them. */
export async function startMailInbox({ port = 0, path: keptIn, page }: MailInboxOptions = {}): Promise<MailInbox> {
  const arrivals = createArrivals(keptIn === undefined ? undefined : { path: keptIn, schema: Mail })
  const server = createServer(({ url: path = '/', headers }, response) => {
    if (!isFromHere(headers)) return void response.writeHead(403).end()
    if (path === '/') return sendFrontPage(response, page)
    if (path === '/mails.json') return sendJson(response, arrivals.items.toReversed())
    response.writeHead(404).end()
  })
  const inbox: MailInbox = {
    url: await listen(server, port),
    received: arrivals.items,
    onMail: undefined,
    take,
    waitFor: (address, { count = 1, timeoutMs = 10_000 } = {}) =>
      arrivals.waitFor(
        (mails) => mails.filter(({ to }) => to === address)[count - 1],
        timeoutMs,
        `mail number ${count} for ${address} did not come`,
      ),
    close: () => close(server),
  }

  async function take(message: unknown): Promise<string> {
    const mail = { ...Message.parse(message), id: randomUUID(), at: new Date() }
    await inbox.onMail?.(mail)
    arrivals.add(mail)
    return mail.id
  }

  return inbox
}
