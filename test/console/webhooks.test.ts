import { randomUUID } from 'node:crypto'
import { webhooks as receiveWebhooks } from 'paywall-billing-sdk/webhooks'
import { beforeAll, expect, test } from 'vitest'
import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import { isSignedWithAny } from '../../dev/world/pages/received.ts'
import { type ConsoleVisitor, signInToConsole } from '../support/console.ts'
import { paywall } from '../support/paywall.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
const reason = 'A test'

/** An endpoint whose secret `apply` has generated, and one whose secret is in the file. */
interface Endpoint {
  id: string
  url: string
  secret: string
}

let file: PaywallFile
let generated: Endpoint
let written: Endpoint
let visitor: ConsoleVisitor

beforeAll(async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const [one, other] = [newUrl(), newUrl()]
  file = await paywallFile({
    webhooks: [
      { url: one, events: ['payment.failed'] },
      { url: other, secret },
    ],
  })
  const { newSecrets } = await world.apply(file)
  generated = { ...(await find(one)), secret: newSecrets[0]!.secret }
  written = { ...(await find(other)), secret }
  visitor = await signInToConsole(world, file.owner.email)
})

const newUrl = () => `${world.receiver.url}/webhooks/${randomUUID()}`

async function find(url: string): Promise<{ id: string; url: string }> {
  const { rows } = await world.database.query('select id, url from webhook_endpoints where url = $1', [url])
  return rows[0]
}

/** What has arrived at an endpoint, oldest first. */
const received = ({ url }: Endpoint) => world.receiver.received.filter(({ path }) => url.endsWith(path))

/** Sends a test event, and waits for it. Returns its id, and what has arrived. */
async function sendTestEvent(endpoint: Endpoint) {
  const { location } = await visitor.post('/test/webhooks/test', { endpoint: endpoint.id })
  const id = /^\/test\/events\/(evt_[0-9a-f]{32})$/.exec(location ?? '')?.[1]
  const arrived = await until('the test event has arrived', async () =>
    received(endpoint).find(({ headers }) => headers['webhook-id'] === id),
  )
  return { id: id!, arrived }
}

const rotate = ({ id, url }: Endpoint) => visitor.post('/test/webhooks/rotate', { endpoint: id, url, reason })

test('a test event is sent to one endpoint, signed, whatever that subscribes to, and is shown among the events', async () => {
  const { id, arrived } = await sendTestEvent(generated)
  const { data, ...event } = JSON.parse(arrived.body)
  expect(event).toMatchObject({ id, type: 'webhook.ping', is_test: true })
  expect(data).toMatchObject({ user: { id: null }, sequence: 1, webhook: { id: generated.id, url: generated.url } })
  expect(isSignedWithAny([generated.secret], arrived.body, arrived.headers)).toBe(true)
  await until('the attempt is shown', async () =>
    (await visitor.get(`/test/events/${id}`)).text.match(/delivered 1 200/),
  )
  expect((await visitor.get('/test/events?type=webhook.ping')).html).toContain(id)

  await visitor.post('/test/events/replay', { event: id, reason })
  await until('it has arrived again', async () => received(generated).length === 2)
  expect(received(written)).toEqual([])
})

test('the SDK acknowledges a test event, and calls no other handler', async () => {
  const { arrived } = await sendTestEvent(generated)
  const seen: string[] = []
  const receive = receiveWebhooks({
    secret: generated.secret,
    test: true,
    on: {
      'webhook.ping': ({ data }) => void seen.push(data.webhook.url),
      'payment.failed': () => void seen.push('payment.failed'),
    },
  })
  const request = new Request(generated.url, { method: 'POST', headers: arrived.headers, body: arrived.body })
  expect((await receive(request)).status).toBe(204)
  expect(seen).toEqual([generated.url])
})

test('a disabled endpoint gets no test event', async () => {
  const enable = (enabled: string) => visitor.post('/test/webhooks', { endpoint: written.id, enabled, reason })
  await enable('no')
  expect(await visitor.post('/test/webhooks/test', { endpoint: written.id })).toMatchObject({ status: 409 })
  const refused = await paywall(world, ['webhooks', 'test', written.id])
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('paywall webhooks enable') })
  await enable('yes')
  const { code, out } = await paywall(world, ['webhooks', 'test', written.id])
  expect([code, out]).toEqual([0, expect.stringMatching(/^The test event evt_[0-9a-f]+ is sent to http/)])
})

test('a secret that apply has generated is rotated: the old one signs, too, and apply keeps both', async () => {
  const page = await rotate(generated)
  const secret = /whsec_[A-Za-z0-9+/=]{44}/.exec(page.html)?.[0]
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('It is shown only once') })
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(secret).not.toBe(generated.secret)
  expect((await world.apply(file)).changes).toEqual([])

  const { arrived } = await sendTestEvent(generated)
  for (const each of [secret!, generated.secret]) {
    expect(isSignedWithAny([each], arrived.body, arrived.headers), each).toBe(true)
  }
  expect(await rotate(generated)).toMatchObject({ status: 409 })
  expect((await visitor.get('/test/webhooks')).text).toContain('Its secret was rotated.')
  expect((await visitor.get('/audit-log')).text).toMatch(/rotate webhook/)
})

test('a secret in the file is rotated there, and by the command as little', async () => {
  expect(await rotate(written)).toMatchObject({ status: 409, text: expect.stringContaining('paywall file') })
  expect((await visitor.get('/test/webhooks')).text).toContain('Its secret is in the paywall file.')
  const refused = await paywall(world, ['webhooks', 'rotate', written.id])
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('change it there, and apply the file') })
})

test('a secret that leaves the file is rotated by the command once the file is applied', async () => {
  const removed = { ...file, webhooks: file.webhooks.map((webhook) => ({ ...webhook, secret: null })) }
  const { changes } = await world.apply(removed)
  expect(changes).toMatchObject([{ fields: [{ path: 'secret', old: 'in the file', new: 'generated' }] }])
  const { out } = await paywall(world, ['webhooks', 'rotate', written.id, '--json'])
  const { secret } = JSON.parse(out)
  const { arrived } = await sendTestEvent(written)
  for (const each of [secret, written.secret]) {
    expect(isSignedWithAny([each], arrived.body, arrived.headers), each).toBe(true)
  }
  const again = await paywall(world, ['webhooks', 'rotate', written.id])
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('the previous one still signs') })
})

test('a secret is encrypted for the URL of its endpoint only', async () => {
  await world.database.query('update webhook_endpoints set previous_secret_until = now() where id = $1', [generated.id])
  expect(await rotate({ ...generated, url: written.url })).toMatchObject({ status: 404 })
})
