import { createServer, request as openRequest, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { buffer } from 'node:stream/consumers'
import { nodeWebhooks, type PaywallEvent } from 'paywall-billing-sdk/webhooks'
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, test, vi } from 'vitest'
import { close, listen } from '../../dev/emulators/core/listen.ts'

const secret = `whsec_${btoa('a secret of an endpoint in Node')}`
const event = JSON.stringify({ id: 'evt_1', type: 'ticket.created', is_test: false, data: { note: 'Grüße 👋' } })

/** The headers of a signed event. */
function sign(body: string): Record<string, string> {
  const now = new Date()
  const signature = new Webhook(secret).sign('evt_1', now, body)
  const timestamp = String(Math.floor(now.getTime() / 1000))
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

const servers: ReturnType<typeof createServer>[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(servers.splice(0).map(close))
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  return listen(server, 0)
}

/** A webhook endpoint that records its events. */
function recording() {
  const events: PaywallEvent[] = []
  const handle = nodeWebhooks({ secret, on: { 'ticket.created': (received) => void events.push(received) } })
  return { events, handle }
}

const post = (url: string, body: string, headers = sign(body)) => fetch(url, { method: 'POST', body, headers })

test('an endpoint of node:http verifies and handles an event', async () => {
  const { events, handle } = recording()
  const url = await serve(handle)
  expect((await post(url, event)).status).toBe(204)
  expect(events).toEqual([JSON.parse(event)])
  const forged = await post(url, event, sign(`${event} `))
  expect([forged.status, await forged.text()]).toEqual([400, 'invalid signature'])
  const read = await fetch(url)
  expect([read.status, read.headers.get('allow')]).toEqual([405, 'POST'])
  expect(events).toHaveLength(1)
})

test('a body that express.raw() or express.text() has read is verified, too', async () => {
  const { events, handle } = recording()
  for (const toBody of [(bytes: Buffer) => bytes, String]) {
    const url = await serve(async (request, response) => {
      const body = toBody(await buffer(request))
      await handle(Object.assign(request, { body }), response)
    })
    expect((await post(url, event)).status).toBe(204)
  }
  expect(events, 'the second is the same event').toEqual([JSON.parse(event)])
})

test('a body that express.json() has parsed cannot be verified: 500, and the log says what to do', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  const { events, handle } = recording()
  const url = await serve(async (request, response) => {
    const body = JSON.parse(String(await buffer(request)))
    await handle(Object.assign(request, { body }), response)
  })
  expect((await post(url, event)).status).toBe(500)
  expect(String(log.mock.calls[0]?.[1])).toContain('before express.json()')
  expect(events).toEqual([])
})

/** What is used of Express, whose types are a package of their own. */
interface Express {
  (): RequestListener & { use(handler: unknown): unknown; post(path: string, handler: unknown): unknown }
  json(): unknown
}
const express: Express = createRequire(import.meta.url)('express')

test('an app of Express receives an event, unless express.json() comes first', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  const { events, handle } = recording()
  const json = { 'content-type': 'application/json', ...sign(event) }

  const app = express()
  app.post('/webhooks', handle)
  app.use(express.json())
  const url = await serve(app)
  expect((await post(`${url}/webhooks`, event, json)).status).toBe(204)
  expect((await post(`${url}/webhooks`, `${event} `, json)).status).toBe(400)
  expect(events).toEqual([JSON.parse(event)])

  const parsing = express()
  parsing.use(express.json())
  parsing.post('/webhooks', handle)
  expect((await post(`${await serve(parsing)}/webhooks`, event, json)).status).toBe(500)
  expect(String(log.mock.calls[0]?.[1])).toContain('before express.json()')
  expect(events).toHaveLength(1)
})

test('a body that is too long is refused before it ends', async () => {
  const { handle } = recording()
  const url = await serve(handle)
  const refused = await new Promise<unknown>((resolve, reject) => {
    const call = openRequest(url, { method: 'POST' }, ({ statusCode, headers }) => {
      resolve([statusCode, headers.connection])
      call.destroy()
    })
    call.on('error', reject)
    call.write('x'.repeat(2 * 1024 * 1024))
  })
  expect(refused).toEqual([413, 'close'])
})

test('a sender that disconnects in the middle of a body does not stop the server', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  const { events, handle } = recording()
  const url = await serve(handle)
  const call = openRequest(url, { method: 'POST', headers: { ...sign(event), 'content-length': 1000 } })
  call.on('error', () => undefined)
  call.write(event, () => call.destroy())
  await expect.poll(() => log.mock.calls.length).toBe(1)
  expect((await post(url, event)).status).toBe(204)
  expect(events).toHaveLength(1)
})
