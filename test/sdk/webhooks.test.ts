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

/** What the service sent to the owner's backend, as the backend's runtime hands it on. */
const getRequest = ({ headers, body }: Pick<Received, 'headers' | 'body'>) =>
  new Request('https://owner.example/webhooks', { method: 'POST', headers, body })

/** The first event of a type that the service sends about a new buyer. */
async function sent(type: EventType): Promise<Received> {
  const email = newEmail()
  await buy(world, { paywall: world.paywall, key: world.key, email })
  await world.stripe.drainWebhooks()
  await untilAllDelivered(world)
  return world.receiver.received.find(({ body }) => body.includes(email) && JSON.parse(body).type === type)!
}

test('hands each event to the handler of its type, once, however often it is sent', async () => {
  const handled: PaywallEvent[] = []
  const take = webhooks({
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
  const created = await sent('subscription.created')
  const answers = await Promise.all([created, created, created].map((each) => take(getRequest(each))))
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204])
  expect(handled).toMatchObject([{ id: created.headers['webhook-id'], type: 'subscription.created' }])
  const completed = world.receiver.received.find(({ body }) => JSON.parse(body).type === 'checkout.completed')!
  expect((await take(getRequest(completed))).status, 'nobody asked for it').toBe(204)
})

test('has what a handler could not do sent again', async () => {
  const errors: unknown[] = []
  let isDown = true
  const take = webhooks({
    secret,
    test: true,
    on: {
      'payment.succeeded': ({ data }) => {
        if (isDown) throw new Error(`no database for ${data.payment.id}`)
      },
    },
    onError: (error) => void errors.push(error),
  })
  const paid = await sent('payment.succeeded')
  expect((await take(getRequest(paid))).status).toBe(500)
  expect(errors).toMatchObject([{ message: expect.stringMatching(/^no database for /) }])
  isDown = false
  expect((await take(getRequest(paid))).status).toBe(204)
})

test('leaves it to the owner’s database which ids were handled', async () => {
  const known = new Set<string>()
  const handled: string[] = []
  const once = async (id: string, handle: () => Promise<void>) => {
    if (known.has(id)) return
    await handle()
    known.add(id)
  }
  const created = await sent('subscription.created')
  const on = { 'subscription.created': ({ id }: { id: string }) => handled.push(id) }
  for (const _restart of [1, 2]) await webhooks({ secret, test: true, on, once })(getRequest(created))
  expect(handled).toHaveLength(1)
})

test('rejects everything that the service did not sign', async () => {
  const take = webhooks({
    secret: ['whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', secret],
    test: true,
    on: { 'subscription.created': () => expect.unreachable() },
  })
  const created = await sent('subscription.created')
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
    expect((await take(getRequest(forged))).status).toBe(400)
  }
  expect((await take(new Request('https://owner.example/webhooks'))).status).toBe(405)
  const both = webhooks({ secret: ['whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', secret], test: true, on: {} })
  expect((await both(getRequest(created))).status, 'while it is rotated').toBe(204)
})

describe('of what anybody may send', () => {
  /** A body of our own, signed as the service does. */
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

  test('no more than a megabyte is read', async () => {
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

  test('what is old, or of a time to come, is refused at five minutes, and each of two secrets counts', async () => {
    const other = `whsec_${btoa('another secret, for the time of a rotation')}`
    const take = webhooks({ secret: [other, secret], test: true, on: {} })
    const at = (seconds: number) => ({ sentAt: new Date(Date.now() + seconds * 1000) })
    const getStatus = async (request: Request) => (await take(request)).status
    expect(await getStatus(signed(event('payment.succeeded'), at(-290)))).toBe(204)
    expect(await getStatus(signed(event('payment.succeeded'), { ...at(290), by: other }))).toBe(204)
    expect(await getStatus(signed(event('payment.succeeded'), at(-310)))).toBe(400)
    expect(await getStatus(signed(event('payment.succeeded'), { ...at(310), by: other }))).toBe(400)
    expect(() => webhooks({ secret: '', on: {} }), 'no secret').toThrow()
  })

  test('a test event is refused, unless the handler is for test events, too', async () => {
    const handled: string[] = []
    const on = { 'payment.succeeded': ({ id, is_test }: PaywallEvent) => handled.push(`${is_test} ${id}`) }
    for (const [test, statuses] of [
      [undefined, [204, 400]],
      [false, [204, 400]],
      [true, [204, 204]],
    ] as const) {
      const take = webhooks({ secret, ...(test !== undefined && { test }), on })
      const asked = [false, true].map((isTest) => take(signed(event('payment.succeeded', isTest))))
      expect(
        (await Promise.all(asked)).map(({ status }) => status),
        String(test),
      ).toEqual(statuses)
    }
    expect(handled.filter((each) => each.startsWith('true'))).toHaveLength(1)
    expect((await webhooks({ secret, on })(getRequest(await sent('payment.succeeded')))).status, 'a real one').toBe(400)
  })

  test('what is signed and is no event is refused, and a type that nobody handles is left alone', async () => {
    const take = webhooks({ secret, on: {} })
    for (const body of [
      '{"id": "evt_',
      'null',
      '[]',
      '7',
      '{"type": "payment.succeeded"}',
      '{"id": "evt_1", "type": "payment.succeeded"}',
    ]) {
      expect((await take(signed(body))).status, body).toBe(400)
    }
    for (const type of ['constructor', '__proto__', 'event.of.tomorrow']) {
      expect((await take(signed(event(type)))).status, type).toBe(204)
    }
  })
})
