import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { EmulatorOptions } from '../../dev/emulators/core/emulator.ts'
import { close, listen } from '../../dev/emulators/core/listen.ts'

export interface TestEmulatorOptions<Account> extends Pick<EmulatorOptions<Account>, 'statePath' | 'fetch'> {
  accounts?: Account[]
  /** Where webhooks are sent. Nothing listens at the default. */
  serviceUrl?: string
  /** Whether accounts have the processor's rate limit. Default: no. */
  rateLimited?: boolean
}

/** Starts an emulator with these accounts, which runs until the test ends. */
export async function startTestEmulator<Account, Emulator extends { close(): Promise<void> }>(
  start: (options: EmulatorOptions<Account>) => Promise<Emulator>,
  accounts: Account[],
  { serviceUrl = 'http://127.0.0.1:9', rateLimited = false, ...more }: Omit<TestEmulatorOptions<Account>, 'accounts'>,
): Promise<Emulator> {
  const emulator = await start({
    port: 0,
    ...(!rateLimited && { rateLimited }),
    accounts: () => accounts,
    serviceUrl: () => serviceUrl,
    ...more,
  })
  onTestFinished(() => emulator.close())
  return emulator
}

/** A webhook as it arrives. `paywallId` is the end of its path. */
export interface ReceivedWebhook {
  paywallId: string
  body: string
  headers: IncomingHttpHeaders
}

/**
 * A service that receives webhooks until the test ends. `verify` verifies one with the official SDK, and returns its event; null: it is
 * answered 401. `answers` are the statuses of the first responses; all later ones are 200.
 */
export async function receiveWebhooks<Event>(
  verify: (webhook: ReceivedWebhook) => Event | null | Promise<Event | null>,
  answers: number[],
) {
  const deliveries: (ReceivedWebhook & { event: Event })[] = []
  const server = createServer(async (request, response) => {
    const webhook = {
      paywallId: request.url?.split('/').at(-1) ?? '',
      body: await text(request),
      headers: request.headers,
    }
    const event = await verify(webhook)
    if (event !== null) deliveries.push({ ...webhook, event })
    const status = event === null ? 401 : (answers.shift() ?? 200)
    response.writeHead(status, status === 302 ? { Location: '/elsewhere' } : {}).end()
  })
  const url = await listen(server, 0)
  onTestFinished(() => close(server))
  return { url, deliveries }
}
