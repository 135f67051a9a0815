import { afterAll, beforeAll, expect, test } from 'vitest'
import { deployed, newKey } from '../support/deployed.ts'
import { type Mailbox, openWebhookEndpoint, runDeliveryCron } from '../support/mailbox.ts'
import { untilAllDelivered } from '../support/owner-events.ts'
import { paywall } from '../support/paywall.ts'
import { eventsAbout, paySubscription, postWebhook } from '../support/stripe-purchase.ts'
import { userState } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

// Rotates the keys that seal processor credentials and webhook secrets, by the steps of docs/operations.md.

/** The Workers with the old keys, with both, and with the new ones. */
let worlds: { before: TestWorld; between: TestWorld; after: TestWorld }
/** Webhook endpoints that exist before the rotation. */
let mailboxes: Mailbox[]

beforeAll(async () => {
  const before = await startTestWorld({ writesUndocumentedEvents: true })
  before.stripe.holdWebhooks()
  const { PROCESSOR_CREDENTIALS_KEY, WEBHOOK_SECRETS_KEY } = before.secrets
  const fresh = { PROCESSOR_CREDENTIALS_KEY: newKey(), WEBHOOK_SECRETS_KEY: newKey() }
  const between = await deployed(before, {
    PROCESSOR_CREDENTIALS_KEY: `${fresh.PROCESSOR_CREDENTIALS_KEY},${PROCESSOR_CREDENTIALS_KEY}`,
    WEBHOOK_SECRETS_KEY: `${fresh.WEBHOOK_SECRETS_KEY},${WEBHOOK_SECRETS_KEY}`,
  })
  worlds = { before, between, after: await deployed(before, fresh) }
  mailboxes = await Promise.all([openWebhookEndpoint(before), openWebhookEndpoint(before), openWebhookEndpoint(before)])
})
afterAll(async () => {
  await Promise.all([worlds.between.close(), worlds.after.close()])
  await worlds.before.close()
})

/** Makes a purchase, receives its webhook, and sends an event to each webhook endpoint: all that needs the keys. */
async function useKeys(world: TestWorld): Promise<void> {
  const paid = await paySubscription(world)
  const event = eventsAbout(world, paid.pageId).find(({ type }) => type === 'checkout.session.completed')
  expect(await postWebhook(world, JSON.stringify(event))).toMatchObject({ status: 200 })
  expect(await userState(world, paid.userId)).toMatchObject({ paid: true })
  const ids = await Promise.all(mailboxes.map((mailbox) => mailbox.addEvents()))
  await runDeliveryCron(world)
  await untilAllDelivered(world) // cron runs that the purchase has started may have delivered some
  for (const [index, mailbox] of mailboxes.entries()) expect(mailbox.ids()).toEqual(expect.arrayContaining(ids[index]!))
  expect((await mailboxes[0]!.deliveries()).every(({ attempts }) => attempts === 1)).toBe(true)
}

test('no step makes a call fail or loses an event, with the Workers from before and from after it', async () => {
  const { before, between, after } = worlds
  // The first deploy: the Workers get both keys, one after the other.
  for (const workers of [before, between, before]) await useKeys(workers)
  expect(await paywall(between, ['rekey'])).toMatchObject({ code: 0, err: '' })
  // The second deploy: they get the new keys alone.
  for (const workers of [between, after, between, after]) await useKeys(workers)
  expect(await paywall(after, ['rekey'])).toMatchObject({ code: 0, out: expect.stringContaining('Nothing') })
})
