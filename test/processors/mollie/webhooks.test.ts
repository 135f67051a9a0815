import { createHmac } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { call } from '../../support/call.ts'
import {
  getMollieSecret,
  listSubscriptions,
  mollieProcessor,
  payFirst,
  postMollieWebhook,
} from '../../support/mollie-purchase.ts'
import { userState } from '../../support/user-state.ts'
import { useTestWorld } from '../../support/world.ts'

/** A genuine event, byte for byte as Mollie would send it, that has not been delivered. */
let body: string
let paid: Awaited<ReturnType<typeof payFirst>>

const shared = mollieProcessor()

// The first two paywalls share an account at Mollie, each with a webhook of its own.
const credentials = { ...(shared.credentials as object), webhookSecret: 'another secret of the same account' }
const paywalls = [{ processor: shared }, { processor: mollieProcessor(credentials) }, { processor: mollieProcessor() }]
const world = useTestWorld({ file: { paywalls } })
beforeAll(async () => {
  world.mollie.holdWebhooks()
  paid = await payFirst(world)
  body = JSON.stringify(world.mollie.events.find(({ type }) => type === 'payment.paid'))
})

test.each<[string, () => ReturnType<typeof postMollieWebhook>]>([
  ['an empty signature', () => postMollieWebhook(world, body, { signature: '' })],
  ['a malformed signature', () => postMollieWebhook(world, body, { signature: 'sha256=zz' })],
  ['a signature that is too short', () => postMollieWebhook(world, body, { signature: 'sha256=00' })],
  [
    'the form of a classic webhook, which is unsigned',
    () =>
      call(world, `/webhooks/mollie/${world.paywall.id}`, {
        body: `id=${paid.paymentId}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
  ],
])('a webhook with %s is refused and changes nothing', async (_, forge) => {
  const calls = world.mollie.calls.length
  expect(await forge()).toMatchObject({ status: 400, body: { error: 'invalid_signature' } })
  expect(world.mollie.calls).toHaveLength(calls)
  expect((await userState(world, paid.userId)).purchases).toEqual([])
  expect((await world.database.query('select from processor_events')).rowCount).toBe(0)
})

test('another paywall of the same account receives the payment and ignores it', async () => {
  const [, neighbour] = world.file.paywalls
  const response = await postMollieWebhook(world, body, { paywallId: neighbour!.id, secret: getMollieSecret(world, 1) })
  expect(response).toMatchObject({ status: 200, body: { received: true } })
  expect(listSubscriptions(world, paid.userId)).toEqual([])
  expect((await world.database.query('select from purchases')).rowCount).toBe(0)
})

test('the same event with its genuine signature takes effect, with and without the prefix of the signature', async () => {
  expect(await postMollieWebhook(world, body)).toMatchObject({ status: 200, body: { received: true } })
  expect((await userState(world, paid.userId)).purchases).toMatchObject([{ status: 'active' }])
  const signature = createHmac('sha256', getMollieSecret(world)).update(body).digest('hex')
  expect(await postMollieWebhook(world, body, { signature })).toMatchObject({ status: 200 })
  const twoSignatures = `sha256=${'0'.repeat(64)},sha256=${signature}`
  expect(await postMollieWebhook(world, body, { signature: twoSignatures })).toMatchObject({ status: 200 })
})

test('an event with only the id of a payment takes effect, too', async () => {
  const other = await payFirst(world)
  const full = world.mollie.events.find(({ entityId }) => entityId === other.paymentId)
  const { _embedded, ...simple } = full!
  expect(await postMollieWebhook(world, JSON.stringify(simple))).toMatchObject({ status: 200 })
  expect((await userState(world, other.userId)).purchases).toMatchObject([{ status: 'active' }])
})

test('a payment to another account of the same organisation is ignored', async () => {
  const { _embedded, ...event } = JSON.parse(body)
  const simple = { ...event, id: 'event_foreign', entityId: 'tr_foreign' }
  expect(await postMollieWebhook(world, JSON.stringify(simple))).toMatchObject({ status: 200 })
  const { metadata, ...entity } = _embedded.entity
  const fullEvent = { ...simple, id: 'event_foreign_2', _embedded: { entity: { ...entity, id: 'tr_foreign' } } }
  expect(await postMollieWebhook(world, JSON.stringify(fullEvent))).toMatchObject({ status: 200 })
})

test('an event of another kind is accepted and ignored', async () => {
  const calls = world.mollie.calls.length
  const event = { ...JSON.parse(body), id: 'event_other', type: 'payout.completed', _embedded: { entity: {} } }
  expect(await postMollieWebhook(world, JSON.stringify(event))).toMatchObject({ status: 200 })
  expect(world.mollie.calls).toHaveLength(calls)
})
