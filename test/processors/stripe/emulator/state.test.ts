import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startStripeEmulator } from '../../../../dev/emulators/stripe/emulator.ts'
import { ACME, buy, getId, sdk, startReceiver, startStripe, subscriptionOrder } from './fixture.ts'

async function statePath(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'stripe-emulator-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  return join(directory, 'stripe.json')
}

test('a restart keeps subscriptions, idempotency keys and undelivered events', async () => {
  const path = await statePath()
  const first = await startStripe({ statePath: path })
  const session = await buy(first.stripe, subscriptionOrder())
  const created = await first.stripe.checkout.sessions.create(subscriptionOrder(), { idempotencyKey: 'k' })
  await first.emulator.close()

  const receiver = await startReceiver()
  const second = await startStripe({ statePath: path, serviceUrl: receiver.url })
  await second.emulator.drainWebhooks()
  expect(receiver.types()).toContain('checkout.session.completed')
  expect(receiver.deliveries).toHaveLength(5)
  const subscription = await second.stripe.subscriptions.retrieve(getId(session.subscription))
  expect(subscription).toMatchObject({ status: 'active', items: { data: [{ price: { unit_amount: 999 } }] } })
  const replayed = await second.stripe.checkout.sessions.create(subscriptionOrder(), { idempotencyKey: 'k' })
  expect(replayed.id).toBe(created.id)
})

test('a response is saved to disk before it is sent', async () => {
  const path = await statePath()
  const { stripe } = await startStripe({ statePath: path })
  const orders = Array.from({ length: 20 }, () => stripe.checkout.sessions.create(subscriptionOrder()))
  const sessions = await Promise.all(orders)
  const kept = await readFile(path, 'utf8')
  for (const { id } of sessions) expect(kept).toContain(id)
  expect(kept).not.toContain(ACME.secretKey)
})

test('refuses an invalid state file', async () => {
  const path = await statePath()
  await writeFile(path, '{"sessions": "none"}')
  const options = { port: 0, accounts: () => [ACME], serviceUrl: () => '', statePath: path }
  await expect(startStripeEmulator(options)).rejects.toThrow(/sessions/)
  await writeFile(path, 'not json')
  await expect(startStripeEmulator(options)).rejects.toThrow(/cannot read the Stripe emulator's state/)
})

test('editing a price does not change existing subscriptions', async () => {
  const account = { ...ACME, prices: [...ACME.prices] }
  const { emulator } = await startStripe({ accounts: [account] })
  const session = await buy(sdk(emulator), subscriptionOrder())
  account.prices = []
  await emulator.renew(getId(session.subscription))
  const [price] = (await sdk(emulator).subscriptions.retrieve(getId(session.subscription))).items.data
  expect(price?.price).toMatchObject({ id: 'price_month', unit_amount: 999 })
})
