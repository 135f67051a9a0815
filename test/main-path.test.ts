import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call } from './support/call.ts'
import { buy, newEmail, press } from './support/checkout.ts'
import { paywallFile } from './support/paywall-file.ts'
import { tenant } from './support/tenants.ts'
import { useTestWorld } from './support/world.ts'

const world = useTestWorld()

const Bootstrap = z.object({ prices: z.array(z.object({ id: z.string(), label: z.string(), amount: z.number() })) })
const Checkout = z.object({ checkoutUrl: z.url(), userId: z.uuid(), acquiring: z.literal('stripe') })

test('an owner describes a paywall, a user buys on the hosted page, and the owner’s backend gets the events', async () => {
  const { key, paywall } = world
  const api = `/api/v1/paywall/${paywall.id}`

  const bootstrap = await call(world, `${api}/bootstrap`)
  expect(bootstrap.status).toBe(200)
  const price = Bootstrap.parse(bootstrap.body).prices.find(({ label }) => label === 'Monthly')
  expect(price).toMatchObject({ amount: 9.99 })

  const order = { email: 'Ada@Example.com', priceId: price?.id, successUrl: 'https://owner.example/in?s=__SESSION__' }
  const headers = { 'idempotency-key': randomUUID() }
  const checkout = await call(world, `${api}/start-checkout`, {
    key,
    headers,
    body: { ...order, errorUrl: 'https://owner.example/out' },
  })
  expect(checkout).toMatchObject({ status: 200 })
  const { checkoutUrl, userId } = Checkout.parse(checkout.body)

  const page = await (await fetch(checkoutUrl)).text()
  expect(page).toContain(paywall.name)
  expect(page).toContain('9.99')

  const returnUrl = await press(checkoutUrl, 'pay')
  const landing = await call(world, returnUrl)
  expect(landing).toMatchObject({ status: 303 })
  expect(landing.headers.location).toMatch(/^https:\/\/owner\.example\/in\?s=[0-9a-f-]{36}$/)

  const user = await call(world, `${api}/user?email=ada@example.com`, { key })
  expect(user).toMatchObject({
    status: 200,
    body: {
      paid: true,
      trial: null,
      purchases: [{ status: 'active', interval: 'month', unit_amount: 999, currency: 'USD', price_id: price?.id }],
      balances: [
        { type: 'premium', count: 0 },
        { type: 'standard', count: 100 },
      ],
    },
  })

  const webhook = await world.receiver.waitFor(({ body }) => body.includes('"subscription.created"'))
  const event = new Webhook(world.file.webhooks[0]?.secret ?? '').verify(webhook.body, webhook.headers)
  expect(event).toMatchObject({
    id: webhook.headers['webhook-id'],
    type: 'subscription.created',
    data: {
      paywall_id: paywall.id,
      user: { id: userId, email: 'ada@example.com' },
      subscription: { status: 'active', unit_amount: 999 },
    },
  })
  await world.stripe.drainWebhooks()
  const created = world.receiver.received.filter(({ body }) => body.includes('"subscription.created"'))
  expect(created).toHaveLength(1)
})

test('a webhook endpoint with a generated secret gets webhooks that are signed with it', async () => {
  const url = `${world.receiver.url}/webhooks/made`
  const owner = tenant(await paywallFile({ webhooks: [{ url }] }))
  const { newSecrets } = await world.apply(owner.file)
  expect(newSecrets).toMatchObject([{ secret: expect.stringMatching(/^whsec_/) }])

  await buy(world, { paywall: owner.paywall, key: owner.key, email: newEmail() })
  const { body, headers, verified } = await world.receiver.waitFor(({ path }) => path === '/webhooks/made')
  expect(verified).toBe(true)
  expect(() => new Webhook(newSecrets[0]!.secret).verify(body, headers)).not.toThrow()
})
