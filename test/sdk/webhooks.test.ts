import { randomUUID } from 'node:crypto'
import { type EventType, type PaywallEvent, webhooks } from 'paywall-billing-sdk/webhooks'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Received } from '../../dev/world/pages/received.ts'
import { buy, newEmail } from '../support/checkout.ts'
import { untilAllDelivered } from '../support/owner-events.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
let secret: string
beforeAll(() => {
  secret = world.file.webhooks[0]!.secret!
})

/** A received webhook as a `Request`. */
const getRequest = ({ headers, body }: Pick<Received, 'headers' | 'body'>) =>
  new Request('https://owner.example/webhooks', { method: 'POST', headers, body })

/** The first event of a type that the service sends about a new buyer. */
async function receiveEvent(type: EventType): Promise<Received> {
  const email = newEmail()
  await buy(world, { paywall: world.paywall, key: world.key, email })
  await world.stripe.drainWebhooks()
  await untilAllDelivered(world)
  return world.receiver.received.find(({ body }) => body.includes(email) && JSON.parse(body).type === type)!
}

test('calls the handler of an event once, even if the event is delivered repeatedly', async () => {
  const handled: PaywallEvent[] = []
  const handle = webhooks({
    secret,
    test: true,
    on: {
      'subscription.created': async (event) => {
        const { status }: { status: string } = event.data.subscription
        expect(status).toBe('active')
        handled.push(event)
      },
    },
  })
  const created = await receiveEvent('subscription.created')
  const answers = await Promise.all([created, created, created].map((each) => handle(getRequest(each))))
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204])
  expect(handled).toMatchObject([{ id: created.headers['webhook-id'], type: 'subscription.created' }])
  const completed = world.receiver.received.find(({ body }) => JSON.parse(body).type === 'checkout.completed')!
  expect((await handle(getRequest(completed))).status, 'no handler').toBe(204)
})

test('returns 500 if a handler fails, so that the event is sent again', async () => {
  const errors: unknown[] = []
  let isDown = true
  const handle = webhooks({
    secret,
    test: true,
    on: {
      'payment.succeeded': ({ data }) => {
        if (isDown) throw new Error(`no database for ${data.payment.id}`)
      },
    },
    onError: (error) => void errors.push(error),
  })
  const paid = await receiveEvent('payment.succeeded')
  expect((await handle(getRequest(paid))).status).toBe(500)
  expect(errors).toMatchObject([{ message: expect.stringMatching(/^no database for /) }])
  isDown = false
  expect((await handle(getRequest(paid))).status).toBe(204)
})

test('accepts a `once` function that stores the handled ids in the owner’s database', async () => {
  const known = new Set<string>()
  const handled: string[] = []
  const once = async (id: string, run: () => Promise<void>) => {
    if (known.has(id)) return
    await run()
    known.add(id)
  }
  const created = await receiveEvent('subscription.created')
  const on = { 'subscription.created': ({ id }: { id: string }) => handled.push(id) }
  for (const _restart of [1, 2]) await webhooks({ secret, test: true, on, once })(getRequest(created))
  expect(handled).toHaveLength(1)
})

test('rejects requests that the service did not sign', async () => {
  const handle = webhooks({
    secret: ['whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', secret],
    test: true,
    on: { 'subscription.created': () => expect.unreachable() },
  })
  const created = await receiveEvent('subscription.created')
  const { headers, body } = created
  const old = { ...headers, 'webhook-timestamp': '1700000000' }
  const { 'webhook-signature': _, ...unsigned } = headers
  for (const forged of [
    { headers, body: body.replace('active', 'paused') },
    { headers: { ...headers, 'webhook-id': `evt_${randomUUID()}` }, body },
    { headers: old, body },
    { headers: unsigned, body },
    { headers, body: '' },
  ]) {
    expect((await handle(getRequest(forged))).status).toBe(400)
  }
  expect((await handle(new Request('https://owner.example/webhooks'))).status).toBe(405)
  const both = webhooks({ secret: ['whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', secret], test: true, on: {} })
  expect((await both(getRequest(created))).status, 'with the second of two secrets').toBe(204)
})

describe('from any sender', () => {
  /** A request with this body, signed as by the service. */
  function signed(body: string, { sentAt = new Date(), by = secret }: { sentAt?: Date; by?: string } = {}): Request {
    const id = `evt_${randomUUID()}`
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': new Webhook(by).sign(id, sentAt, body),
    }
    return getRequest({ headers, body })
  }
  const event = (type: string, is_test = false) =>
    JSON.stringify({ id: `evt_${randomUUID()}`, type, is_test, data: {} })

  test('a body is read up to a megabyte only', async () => {
    let megabytes = 0
    const body = new ReadableStream({
      pull(controller) {
        megabytes += 1
        if (megabytes > 10) controller.close()
        else controller.enqueue(new Uint8Array(1024 * 1024))
      },
    })
    const request = new Request('https://owner.example/webhooks', { method: 'POST', body, duplex: 'half' })
    expect((await webhooks({ secret, on: {} })(request)).status).toBe(413)
    expect(megabytes).toBeLessThanOrEqual(3)
  })

  test('a timestamp more than five minutes in the past or future is rejected, with either of two secrets', async () => {
    const other = `whsec_${btoa('another secret, for the time of a rotation')}`
    const handle = webhooks({ secret: [other, secret], test: true, on: {} })
    const at = (seconds: number) => ({ sentAt: new Date(Date.now() + seconds * 1000) })
    const getStatus = async (request: Request) => (await handle(request)).status
    expect(await getStatus(signed(event('payment.succeeded'), at(-290)))).toBe(204)
    expect(await getStatus(signed(event('payment.succeeded'), { ...at(290), by: other }))).toBe(204)
    expect(await getStatus(signed(event('payment.succeeded'), at(-310)))).toBe(400)
    expect(await getStatus(signed(event('payment.succeeded'), { ...at(310), by: other }))).toBe(400)
    expect(() => webhooks({ secret: '', on: {} }), 'no secret').toThrow()
  })

  test('a test event is rejected, unless `test` is true', async () => {
    const handled: string[] = []
    const on = { 'payment.succeeded': ({ id, is_test }: PaywallEvent) => handled.push(`${is_test} ${id}`) }
    for (const [test, statuses] of [
      [undefined, [204, 400]],
      [false, [204, 400]],
      [true, [204, 204]],
    ] as const) {
      const handle = webhooks({ secret, ...(test !== undefined && { test }), on })
      const responses = [false, true].map((isTest) => handle(signed(event('payment.succeeded', isTest))))
      expect(
        (await Promise.all(responses)).map(({ status }) => status),
        String(test),
      ).toEqual(statuses)
    }
    expect(handled.filter((each) => each.startsWith('true'))).toHaveLength(1)
    expect(
      (await webhooks({ secret, on })(getRequest(await receiveEvent('payment.succeeded')))).status,
      'a real test event',
    ).toBe(400)
  })

  test('a signed body that is not an event is rejected, and an event without a handler is accepted', async () => {
    const handle = webhooks({ secret, on: {} })
    for (const body of [
      '{"id": "evt_',
      'null',
      '[]',
      '7',
      '{"type": "payment.succeeded"}',
      '{"id": "evt_1", "type": "payment.succeeded"}',
    ]) {
      expect((await handle(signed(body))).status, body).toBe(400)
    }
    for (const type of ['constructor', '__proto__', 'event.of.tomorrow']) {
      expect((await handle(signed(event(type)))).status, type).toBe(204)
    }
  })
})
