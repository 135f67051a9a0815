import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyFile } from '../../cli/apply/apply.ts'
import { databaseOf } from '../../cli/database.ts'
import type { Secrets } from '../../dev/world/secrets.ts'
import { seal } from '../../lib/crypto/seal.ts'
import { buy, startCheckout } from '../support/checkout.ts'
import { deployed, newKey } from '../support/deployed.ts'
import { openMailbox, sweep } from '../support/mailbox.ts'
import { untilAllDelivered } from '../support/owner-events.ts'
import { paywall } from '../support/paywall.ts'
import { eventsAbout, paySubscription, postWebhook } from '../support/stripe-purchase.ts'
import { cancel } from '../support/subscriber.ts'
import { userState } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

// The keys that processor credentials and webhook secrets are sealed with: a rotation by the steps of docs/operations.md,
// and what happens where a step was left out.

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ inventsEvents: true })
})
afterAll(() => world.close())

async function afterDeploy<Result>(changed: Partial<Secrets>, work: (after: TestWorld) => Promise<Result>) {
  const after = await deployed(world, changed)
  try {
    return await work(after)
  } finally {
    await after.close()
  }
}

const errorsIn = (message: string) => world.logs.filter((line) => line.message.includes(message))

describe('a rotation of both keys', () => {
  /** Everything that one of the keys is needed for, on each of these Workers. */
  async function useAll(worlds: TestWorld[]): Promise<void> {
    for (const each of worlds) {
      world.stripe.holdWebhooks()
      const paid = await paySubscription(each)
      const [event] = eventsAbout(world, paid.pageId).filter(({ type }) => type === 'checkout.session.completed')
      expect(await postWebhook(each, JSON.stringify(event))).toMatchObject({ status: 200 })
      expect(await userState(each, paid.userId)).toMatchObject({ paid: true })
      const mailbox = await openMailboxSealedBefore()
      const [id] = await mailbox.tell()
      await sweep(each)
      // Whoever the purchase has woken may have taken it.
      await untilAllDelivered(world)
      expect(mailbox.ids()).toEqual([id])
      expect(await mailbox.deliveries()).toMatchObject([{ state: 'delivered', attempts: 1 }])
    }
  }

  /** Webhook endpoints that were there before the rotation began. */
  let mailboxes: Awaited<ReturnType<typeof openMailbox>>[]
  async function openMailboxSealedBefore() {
    const mailbox = mailboxes.pop()
    if (!mailbox) throw new Error('open more of them')
    return mailbox
  }

  test('refuses no call and loses no event, at any step, by the Workers of before and of after it', async () => {
    mailboxes = await Promise.all(Array.from({ length: 6 }, () => openMailbox(world)))
    const { PROCESSOR_CREDENTIALS_KEY, WEBHOOK_SECRETS_KEY } = world.secrets
    const fresh = { PROCESSOR_CREDENTIALS_KEY: newKey(), WEBHOOK_SECRETS_KEY: newKey() }
    const both = {
      PROCESSOR_CREDENTIALS_KEY: `${fresh.PROCESSOR_CREDENTIALS_KEY},${PROCESSOR_CREDENTIALS_KEY}`,
      WEBHOOK_SECRETS_KEY: `${fresh.WEBHOOK_SECRETS_KEY},${WEBHOOK_SECRETS_KEY}`,
    }
    await useAll([world])
    // The first deploy: every Worker gets both keys, one after the other.
    await afterDeploy(both, async (second) => {
      await useAll([world, second])
      expect(await paywall(second, ['rekey'])).toMatchObject({ code: 0, err: '' })
      await useAll([second])
      // The second deploy: every Worker gets the new keys alone.
      await afterDeploy(fresh, async (third) => {
        await useAll([second, third])
        expect(await paywall(third, ['rekey'])).toMatchObject({ code: 0, out: expect.stringContaining('Nothing') })
      })
      const back = await paywall(world, ['rekey'], {
        PROCESSOR_CREDENTIALS_KEY: `${PROCESSOR_CREDENTIALS_KEY},${fresh.PROCESSOR_CREDENTIALS_KEY}`,
        WEBHOOK_SECRETS_KEY: `${WEBHOOK_SECRETS_KEY},${fresh.WEBHOOK_SECRETS_KEY}`,
      })
      expect(back).toMatchObject({ code: 0, err: '' })
    })
  })
})

describe('a secret that was sealed with a key which the Workers do not have', () => {
  /** A webhook endpoint whose secret only Workers with `key` can open. */
  async function openLockedMailbox(key: string) {
    const mailbox = await openMailbox(world)
    const { PROCESSOR_CREDENTIALS_KEY: processorCredentialsKey } = world.secrets
    await applyFile(databaseOf(world.database), mailbox.file, { processorCredentialsKey, webhookSecretsKey: key })
    return mailbox
  }

  test('holds the events, which go out as soon as the key is there, and no attempt is counted', async () => {
    const key = newKey()
    const mailbox = await openLockedMailbox(key)
    const ids = await mailbox.tell(2)
    for (let time = 0; time < 12; time++) {
      await sweep(world)
      await mailbox.passTime()
    }
    expect(mailbox.received()).toEqual([])
    expect(await mailbox.deliveries()).toMatchObject([
      { state: 'pending', attempts: 0, last_error: 'the signing secret cannot be opened' },
      { state: 'pending', attempts: 0, last_error: null },
    ])
    const errors = errorsIn('a webhook secret cannot be opened')
    expect(errors.length).toBeGreaterThanOrEqual(12)
    expect(new Set(errors.map(({ level }) => level))).toEqual(new Set(['error']))

    await afterDeploy({ WEBHOOK_SECRETS_KEY: key }, sweep)
    expect(mailbox.ids()).toEqual(ids)
    for (const { body, headers } of mailbox.received()) new Webhook(mailbox.secret).verify(body, headers)
    expect(await mailbox.deliveries()).toMatchObject([
      { state: 'delivered', attempts: 1 },
      { state: 'delivered', attempts: 1 },
    ])
  })

  test('holds its webhook endpoint for half a minute, however much waits there, and no other', async () => {
    const key = newKey()
    const [locked, other] = [await openLockedMailbox(key), await openMailbox(world)]
    for (let member = 0; member < 20; member++) await locked.tell(1, await locked.newMember())
    const before = errorsIn('a webhook secret cannot be opened').length
    for (let time = 0; time < 5; time++) {
      const [id] = await other.tell()
      await sweep(world)
      expect(other.ids()).toContain(id)
    }
    // Three attempts may be under way there when the first of them finds out.
    expect(errorsIn('a webhook secret cannot be opened').length - before).toBeLessThanOrEqual(3)
    await locked.passTime()
    await afterDeploy({ WEBHOOK_SECRETS_KEY: key }, sweep)
    expect(locked.received()).toHaveLength(20)
  })

  test('of a webhook endpoint opens after an apply with the key that is there, and what waited goes out at once', async () => {
    const mailbox = await openLockedMailbox(newKey())
    const ids = await mailbox.tell(2)
    await sweep(world)
    expect(mailbox.received()).toEqual([])
    await world.apply(mailbox.file)
    await sweep(world)
    expect(mailbox.ids()).toEqual(ids)
    for (const { body, headers } of mailbox.received()) new Webhook(mailbox.secret).verify(body, headers)
  })

  test('of a webhook endpoint and is the one before in a rotation keeps no event from being signed with the new one', async () => {
    const mailbox = await openMailbox(world)
    const sealed = await seal('whsec_b2xk', newKey(), `webhook:${mailbox.url}`)
    await world.database.query(
      `update webhook_endpoints set previous_secret = $1, previous_secret_until = now() + interval '1 hour' where url = $2`,
      [sealed, mailbox.url],
    )
    const ids = await mailbox.tell()
    await sweep(world)
    expect(mailbox.ids()).toEqual(ids)
    for (const { body, headers } of mailbox.received()) new Webhook(mailbox.secret).verify(body, headers)
    expect(errorsIn('a previous webhook secret cannot be opened')).toMatchObject([{ level: 'error' }])
  })

  test('of a processor: a webhook is 502, so that it comes again, and takes effect when the key is there', async () => {
    world.stripe.holdWebhooks()
    const paid = await paySubscription(world)
    const [event] = eventsAbout(world, paid.pageId).filter(({ type }) => type === 'checkout.session.completed')
    await afterDeploy({ PROCESSOR_CREDENTIALS_KEY: newKey() }, async (after) => {
      const refused = await postWebhook(after, JSON.stringify(event))
      expect(refused).toMatchObject({ status: 502, body: { error: 'processor_misconfigured' } })
      const checkout = await startCheckout(after, { paywall: world.paywall, key: world.key })
      expect(checkout).toMatchObject({ status: 502, body: { error: 'processor_misconfigured' } })
    })
    const [line] = errorsIn('processor credentials cannot be opened')
    expect(line?.level).toBe('error')
    expect(line?.message).toContain(`"paywall_id":"${world.paywall.id}"`)
    expect(await postWebhook(world, JSON.stringify(event))).toMatchObject({ status: 200 })
    expect(await userState(world, paid.userId)).toMatchObject({ paid: true })
  })

  test('of a processor: a subscription can be cancelled as soon as the key is there', async () => {
    const { userId } = await buy(world, { paywall: world.paywall, key: world.key })
    const [purchase] = (await userState(world, userId)).purchases
    const body = { paywallId: world.paywall.id, userId, subscriptionId: purchase!.id, cancellationReason: 'dear' }
    await afterDeploy({ PROCESSOR_CREDENTIALS_KEY: newKey() }, async (after) => {
      expect(await cancel(after, { key: world.key, body })).toMatchObject({
        status: 502,
        body: { error: 'processor_misconfigured' },
      })
    })
    expect(await cancel(world, { key: world.key, body })).toMatchObject({ status: 200 })
  })
})
