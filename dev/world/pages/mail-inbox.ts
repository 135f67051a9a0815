import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { isFromHere } from '../../emulators/core/from-here.ts'
import { close, listen } from '../../emulators/core/listen.ts'
import { createArrivals } from './arrivals.ts'
import { Mail, Message } from './mail.ts'
import { sendFrontPage, sendJson } from './send.ts'

/** Receives every e-mail of the local world. */
export interface MailInbox {
  readonly url: string
  /** What arrived, oldest first. */
  readonly received: Mail[]
  /** Called with each mail before it is stored. If it throws, the sender gets the error and the mail is dropped. */
  onMail: ((mail: Mail) => void | Promise<void>) | undefined
  /** Stores a message that a Worker sends and returns its id. */
  receive(message: unknown): Promise<string>
  /** Resolves to the `count`th mail for the address; rejects after `timeoutMs`. */
  waitFor(address: string, options?: { count?: number; timeoutMs?: number }): Promise<Mail>
  close(): Promise<void>
}

interface MailInboxOptions {
  port?: number
  /** A file that keeps the mails; without it they are lost at the end. */
  path?: string | undefined
  /** The URL of the page that shows the mails. */
  page?: string | undefined
}

/** Starts the inbox: `/mails.json` has all mails, newest first, and `/` redirects to their page. */
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
    receive,
    waitFor: (address, { count = 1, timeoutMs = 10_000 } = {}) =>
      arrivals.waitFor(
        (mails) => mails.filter(({ to }) => to === address)[count - 1],
        timeoutMs,
        `mail number ${count} for ${address} did not arrive`,
      ),
    close: () => close(server),
  }

  async function receive(message: unknown): Promise<string> {
    const mail = { ...Message.parse(message), id: randomUUID(), at: new Date() }
    await inbox.onMail?.(mail)
    arrivals.add(mail)
    return mail.id
  }

  return inbox
}
