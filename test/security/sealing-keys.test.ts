import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyFile } from '../../cli/apply/apply.ts'
import { openKysely } from '../../cli/database.ts'
import { seal } from '../../lib/crypto/seal.ts'
import { buy, startCheckout } from '../support/checkout.ts'
import { deployed, newKey } from '../support/deployed.ts'
import { openWebhookEndpoint, runDeliveryCron } from '../support/mailbox.ts'
import { eventsAbout, paySubscription, postWebhook } from '../support/stripe-purchase.ts'
import { cancel } from '../support/subscriber.ts'
import { userState } from '../support/user-state.ts'
import { type TestWorld, useTestWorld } from '../support/world.ts'

// What happens when a step of a key rotation is skipped. The complete rotation is tested in sealing-keys-rotation.test.ts.

/** Other Workers on the same database, with other keys. */
let others: TestWorld

const world = useTestWorld({ writesUndocumentedEvents: true })
beforeAll(async () => {
  others = await deployed(world, { PROCESSOR_CREDENTIALS_KEY: newKey(), WEBHOOK_SECRETS_KEY: newKey() })
})
afterAll(async () => {
  await others.close()
})

const errorsIn = (message: string) => world.logs.filter((line) => line.message.includes(message))

describe('a secret that was sealed with a key which the Workers do not have', () => {
  /** A webhook endpoint whose secret only the other Workers can unseal. */
  async function openLockedMailbox() {
    const mailbox = await openWebhookEndpoint(world)
    await applyFile(openKysely(world.database), mailbox.file, {
      processorCredentialsKey: world.secrets.PROCESSOR_CREDENTIALS_KEY,
      webhookSecretsKey: others.secrets.WEBHOOK_SECRETS_KEY,
      turnstileSecretsKey: world.secrets.TURNSTILE_SECRETS_KEY,
    })
    return mailbox
  }

  test('keeps events pending without counting attempts, and they are sent as soon as the key is available', async () => {
    const mailbox = await openLockedMailbox()
    const ids = await mailbox.addEvents(2)
    for (let time = 0; time < 12; time++) {
      await runDeliveryCron(world)
      await mailbox.endLeases()
    }
    expect(mailbox.received()).toEqual([])
    expect(await mailbox.deliveries()).toMatchObject([
      { state: 'pending', attempts: 0, last_error: 'the signing secret cannot be opened' },
      { state: 'pending', attempts: 0, last_error: null },
    ])
    const errors = errorsIn('webhook secret cannot be decrypted')
    expect(errors.length).toBeGreaterThanOrEqual(12)
    expect(new Set(errors.map(({ level }) => level))).toEqual(new Set(['error']))

    await runDeliveryCron(others)
    expect(mailbox.ids()).toEqual(ids)
    for (const { body, headers } of mailbox.received()) new Webhook(mailbox.secret).verify(body, headers)
    expect(await mailbox.deliveries()).toMatchObject([
      { state: 'delivered', attempts: 1 },
      { state: 'delivered', attempts: 1 },
    ])
  })

  test('pauses its webhook endpoint for 30 seconds, however many events are pending, and no other endpoint', async () => {
    const [locked, other] = [await openLockedMailbox(), await openWebhookEndpoint(world)]
    for (let member = 0; member < 20; member++) await locked.addEvents(1, await locked.newMember())
    const before = errorsIn('webhook secret cannot be decrypted').length
    for (let time = 0; time < 5; time++) {
      const [id] = await other.addEvents()
      await runDeliveryCron(world)
      expect(other.ids()).toContain(id)
    }
    // Three attempts may already be running when the first of them fails to decrypt the secret.
    expect(errorsIn('webhook secret cannot be decrypted').length - before).toBeLessThanOrEqual(3)
    await locked.endLeases()
    await runDeliveryCron(others)
    expect(locked.received()).toHaveLength(20)
  })

  test('of a webhook endpoint is sealed again by an apply with a current key, and pending events are sent at once', async () => {
    const mailbox = await openLockedMailbox()
    const ids = await mailbox.addEvents(2)
    await runDeliveryCron(world)
    expect(mailbox.received()).toEqual([])
    await world.apply(mailbox.file)
    await runDeliveryCron(world)
    expect(mailbox.ids()).toEqual(ids)
    for (const { body, headers } of mailbox.received()) new Webhook(mailbox.secret).verify(body, headers)
  })

  test('that is the previous one of a webhook endpoint does not stop events from being signed with the new secret', async () => {
    const mailbox = await openWebhookEndpoint(world)
    const sealed = await seal('whsec_b2xk', newKey(), `webhook:${mailbox.url}`)
    await world.database.query(
      `update webhook_endpoints set previous_secret = $1, previous_secret_until = now() + interval '1 hour' where url = $2`,
      [sealed, mailbox.url],
    )
    const ids = await mailbox.addEvents()
    await runDeliveryCron(world)
    expect(mailbox.ids()).toEqual(ids)
    for (const { body, headers } of mailbox.received()) new Webhook(mailbox.secret).verify(body, headers)
    expect(errorsIn('previous webhook secret cannot be decrypted')).toMatchObject([{ level: 'error' }])
  })

  test('of a processor makes a webhook fail with 502, and its repeat takes effect when the key is available', async () => {
    world.stripe.holdWebhooks()
    const paid = await paySubscription(world)
    const [event] = eventsAbout(world, paid.pageId).filter(({ type }) => type === 'checkout.session.completed')
    const refused = await postWebhook(others, JSON.stringify(event))
    expect(refused).toMatchObject({ status: 502, body: { error: 'processor_misconfigured' } })
    const checkout = await startCheckout(others, { paywall: world.paywall, key: world.key })
    expect(checkout).toMatchObject({ status: 502, body: { error: 'processor_misconfigured' } })
    const [line] = errorsIn('processor credentials cannot be decrypted')
    expect(line?.level).toBe('error')
    expect(line?.message).toContain(`"paywall_id":"${world.paywall.id}"`)
    expect(await postWebhook(world, JSON.stringify(event))).toMatchObject({ status: 200 })
    expect(await userState(world, paid.userId)).toMatchObject({ paid: true })
  })

  test('of a processor makes a cancellation fail with 502 until the key is available', async () => {
    const { userId } = await buy(world, { paywall: world.paywall, key: world.key })
    const [purchase] = (await userState(world, userId)).purchases
    const body = { paywallId: world.paywall.id, userId, subscriptionId: purchase!.id, cancellationReason: 'dear' }
    expect(await cancel(others, { key: world.key, body })).toMatchObject({
      status: 502,
      body: { error: 'processor_misconfigured' },
    })
    expect(await cancel(world, { key: world.key, body })).toMatchObject({ status: 200 })
  })
})
