import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DroppedCall } from '../../../../dev/emulators/core/calls.ts'
import type { MollieEmulator } from '../../../../dev/emulators/mollie/emulator.ts'
import { ACME, order, press, sdk, startMollie, startReceiver, subscribe } from './fixture.ts'

async function post(emulator: MollieEmulator, idempotencyKey: string, body: object = order(), path = '/v2/payments') {
  const answer = await fetch(`${emulator.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${ACME.apiKey}`, 'Idempotency-Key': idempotencyKey },
    body: JSON.stringify(body),
  })
  const replayed = answer.headers.get('idempotent-replayed') === 'true'
  return { status: answer.status, replayed, body: await answer.text() }
}

test('20 identical concurrent calls create one payment', async () => {
  const { emulator, mollie } = await startMollie()
  const calls = Array.from({ length: 20 }, () =>
    mollie.payments.create({ idempotencyKey: 'k', paymentRequest: order() }),
  )
  const ids = new Set((await Promise.all(calls)).map(({ id }) => id))
  expect(ids.size).toBe(1)
  expect(emulator.payments).toHaveLength(1)
  expect(emulator.calls).toHaveLength(20)
  expect(emulator.calls[0]).toMatchObject({ method: 'POST', path: '/v2/payments', idempotencyKey: 'k', body: order() })
})

test('replays the first response, even a 422, and refuses the key for any other request', async () => {
  const { emulator } = await startMollie()
  const first = await post(emulator, 'k')
  expect(await post(emulator, 'k')).toEqual({ ...first, replayed: true })
  expect((await post(emulator, 'k', order({ description: 'other' }))).status).toBe(400)
  expect((await post(emulator, 'k', order(), '/v2/customers')).status).toBe(400)

  const wrong = order({ description: '' })
  expect(await post(emulator, 'wrong', wrong)).toMatchObject({ status: 422, replayed: false })
  expect(await post(emulator, 'wrong', wrong)).toMatchObject({ status: 422, replayed: true })

  emulator.failNext('/v2/payments', 429)
  expect(await post(emulator, 'limited')).toMatchObject({ status: 429 })
  expect(await post(emulator, 'limited')).toMatchObject({ status: 201, replayed: false })
})

test('ignores keys of other methods, so a second cancellation is not a replay', async () => {
  const { mollie } = await startMollie()
  const { customerId, subscription } = await subscribe(mollie)
  const cancel = () =>
    mollie.subscriptions.cancel({ customerId, subscriptionId: subscription.id, idempotencyKey: 'end' })
  expect(await cancel()).toMatchObject({ status: 'canceled' })
  await expect(cancel()).rejects.toMatchObject({ statusCode: 422 })
})

test('answers 409 to a key that is still in use', async () => {
  const { emulator } = await startMollie()
  const arrived = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  emulator.onCall = async (_, run) => {
    arrived.resolve()
    await gate.promise
    return run()
  }
  const first = post(emulator, 'k')
  await arrived.promise
  emulator.onCall = undefined
  expect(await post(emulator, 'k')).toMatchObject({ status: 409 })
  gate.resolve()
  expect(await first).toMatchObject({ status: 201 })
  expect(emulator.payments).toHaveLength(1)
})

test('replays a call whose response was lost', async () => {
  const { emulator } = await startMollie()
  emulator.onCall = async (_, run) => {
    await run()
    throw new DroppedCall()
  }
  await expect(post(emulator, 'k')).rejects.toThrow()
  emulator.onCall = undefined
  const replayed = await post(emulator, 'k')
  expect(replayed).toMatchObject({ status: 201, replayed: true })
  expect(replayed.body).toContain(emulator.payments[0]?.id)
})

test('a restart keeps subscriptions, idempotency keys and undelivered events', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'mollie-emulator-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const statePath = join(directory, 'mollie.json')
  const first = await startMollie({ statePath })
  const { customerId, subscription } = await subscribe(first.mollie)
  const created = await first.mollie.payments.create({ idempotencyKey: 'k', paymentRequest: order() })
  const kept = await readFile(statePath, 'utf8')
  expect(kept).toContain(created.id)
  expect(kept).not.toContain(ACME.apiKey)
  await first.emulator.close()

  const receiver = await startReceiver()
  const second = await startMollie({ statePath, serviceUrl: receiver.url })
  await second.emulator.drainWebhooks()
  expect(receiver.types()).toEqual(['payment.paid'])
  const same = await second.mollie.subscriptions.get({ customerId, subscriptionId: subscription.id })
  expect(same).toMatchObject({ status: 'active', nextPaymentDate: subscription.nextPaymentDate })
  expect((await second.mollie.payments.create({ idempotencyKey: 'k', paymentRequest: order() })).id).toBe(created.id)
  const open = await second.mollie.payments.get({ paymentId: created.id })
  expect((await press(open, 'pay')).status).toBe(303)
})

test("an idempotency key expires by its own account's clock", async () => {
  const other = { ...ACME, paywallId: '2001', apiKey: 'test_other_0123456789' }
  const { emulator, mollie } = await startMollie({ accounts: [ACME, other] })
  const create = async (client = mollie) =>
    (await client.payments.create({ idempotencyKey: 'k', paymentRequest: order() })).id
  const theirs = sdk(emulator, other.apiKey)
  const [ours, kept] = [await create(), await create(theirs)]
  await emulator.moveTo('1001', emulator.currentTime('1001') + 2 * 3600)
  expect(await create()).not.toBe(ours)
  expect(await create(theirs)).toBe(kept)
})
