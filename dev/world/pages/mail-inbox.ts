import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { close, listen } from '../../emulators/core/listen.ts'
import { createArrivals } from './arrivals.ts'
import { type Mail, Message } from './mail.ts'
import { mailPage } from './mail-page.ts'
import { sendText } from './send-text.ts'

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

/** Starts the inbox: a page of all mails at `/`, the same as JSON at `/mails.json`, the latest first. */
export async function startMailInbox({ port = 0 }: { port?: number } = {}): Promise<MailInbox> {
  const arrivals = createArrivals<Mail>()
  const server = createServer(({ url: path = '/' }, response) => {
    const latestFirst = arrivals.items.toReversed()
    if (path === '/') return sendText(response, 'text/html', mailPage(latestFirst))
    if (path === '/mails.json') return sendText(response, 'application/json', JSON.stringify(latestFirst))
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
