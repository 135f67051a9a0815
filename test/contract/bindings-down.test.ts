import { beforeAll, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { newEmail, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { openWebhookEndpoint, runDeliveryCron } from '../support/mailbox.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

// Queues and rate limits are best effort: no request depends on them.

const world = useTestWorld({ rateLimited: true, brokenBindings: ['gateway', 'balances', 'checkout-return'] })

/** Webhooks are held: what is stored here was stored by checkout-return. */
beforeAll(() => {
  world.stripe.holdWebhooks()
})

const warnings = (message: string) =>
  world.logs.filter((line) => line.level === 'warn' && JSON.parse(line.message).message === message)

test('a caller who cannot be counted is served', async () => {
  expect(await call(world, `/api/v1/paywall/${world.paywall.id}/bootstrap`)).toMatchObject({ status: 200 })
  await expect.poll(() => warnings('rate limit unavailable')).toHaveLength(1)
})

test('a returning buyer finds its purchase stored, and the owner gets the event when the cron runs', async () => {
  const order = { paywall: world.paywall, key: world.key, body: { email: newEmail() } }
  const { checkoutUrl, userId } = parseOpened(await startCheckout(world, order))
  const reply = await call(world, await press(checkoutUrl, 'pay'))
  expect(reply).toMatchObject({ status: 303, headers: { location: expect.stringContaining('/thanks') } })
  expect(await userState(world, userId)).toMatchObject({ paid: true })

  await expect.poll(() => warnings('deliver-events not woken')).toHaveLength(1)
  expect(warnings('browser redirected before its purchase is stored')).toEqual([])
  await runDeliveryCron(world)
  await world.receiver.waitFor(({ body }) => body.includes('checkout.completed') && body.includes(userId))
})

test('a credit succeeds, and the owner gets the event when the cron runs', async () => {
  const mailbox = await openWebhookEndpoint(world)
  const before = warnings('deliver-events not woken').length
  await mailbox.credit()
  await expect.poll(() => warnings('deliver-events not woken')).toHaveLength(before + 1)
  await runDeliveryCron(world)
  expect(mailbox.received()).toHaveLength(2) // the daily top-up, and the credit
})
