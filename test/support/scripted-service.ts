import { createServer } from 'node:http'
import type { PaywallError } from 'paywall-billing-sdk'
import { expect } from 'vitest'
import { close, listen } from '../../dev/emulators/core/listen.ts'

/** How the service responds to a call: with this response, by cutting the connection, or never. Text is sent as it is, all else as JSON. */
export type Scripted = { status?: number; body?: unknown; headers?: Record<string, string> } | 'cut' | 'stall'

/** A substitute for the service, for tests of failures between a client and the service. */
export interface ScriptedService {
  url: string
  /** The responses to the next calls, in order. Further calls get one reply that suits every operation. */
  answers: Scripted[]
  calls: { path: string; key: string | undefined; body: string }[]
  close(): Promise<void>
}

const DONE = { success: true, count: 1, prices: [], purchases: [], balances: [] }

export async function startScriptedService(): Promise<ScriptedService> {
  const answers: Scripted[] = []
  const calls: ScriptedService['calls'] = []
  const server = createServer(async (request, response) => {
    let sent = ''
    for await (const chunk of request) sent += chunk
    calls.push({ path: request.url ?? '', key: request.headers['idempotency-key'] as string | undefined, body: sent })
    const scripted = answers.shift() ?? { body: DONE }
    if (scripted === 'stall') return
    if (scripted === 'cut') return void request.socket.destroy()
    const { status = 200, body = { error: 'internal_error' }, headers } = scripted
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r-1', ...headers })
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    if (Number(headers?.['content-length'] ?? 0) > text.length) response.write(text)
    else response.end(text)
  })
  return { url: await listen(server, 0), answers, calls, close: () => close(server) }
}

/** The error that a call throws. */
export const failed = (call: Promise<unknown>): Promise<PaywallError> =>
  call.then(
    () => expect.unreachable(),
    (error: PaywallError) => error,
  )
