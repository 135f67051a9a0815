import { describe, expect, test } from 'vitest'
import { EMULATORS } from '../../dev/emulators/emulators.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { press } from '../support/checkout.ts'
import {
  advanceClock,
  buy,
  causeAtProcessor,
  expectStoredAsAtProcessor,
  getProcessorId,
  newEvents,
  open,
  pay,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import { type Shop, useShops } from './shop.ts'
import { heldWebhooks, sendWebhook, webhooksSince } from './webhook.ts'

const getShop = useShops()
const HOUR_MS = 3_600_000

/** The number of calls to the processor, and of rows that webhooks have stored. */
async function countEffects({ world, emulator }: Shop) {
  const { rows } = await world.database.query(`select
    (select count(*)::int from processor_events) as processor_events, (select count(*)::int from purchases) as purchases,
    (select count(*)::int from payments) as payments, (select count(*)::int from events) as events`)
  return { ...rows[0], calls: emulator.calls.length }
}

/** The owner's payment events that reads alone cause, without webhooks. */
const eventsFromReads = ({ capabilities }: Shop, amount: number) =>
  capabilities.readsIncludePayments ? [`payment.succeeded ${amount}`] : []

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('forged webhooks are rejected with 400 invalid_signature, and have no effect', async () => {
    const shop = getShop(acquiring)
    const { driver, neighbour, paywall, capabilities } = shop
    const credentials = paywall.processor.credentials as never
    const webhooks = await heldWebhooks(shop, async () => void (await press((await open(shop)).checkoutUrl, 'pay')))
    const before = await countEffects(shop)
    const halved = (headers: Record<string, string>) =>
      Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, text.slice(0, text.length / 2)]))
    for (const webhook of webhooks) {
      const good = driver.sign(webhook, credentials)
      const old = driver.sign({ ...webhook, at: new Date(Date.now() - HOUR_MS) }, credentials)
      if (capabilities.webhookAuthenticates !== 'the sender, the body and the time') expect(old).toEqual(good)
      const forged: Record<string, Parameters<typeof sendWebhook>[2]> = {
        'not signed': { headers: {} },
        'of another secret': { headers: driver.sign(webhook, EMULATORS[acquiring].demoCredentials() as never) },
        'of another account': { headers: driver.sign(webhook, neighbour.processor.credentials as never) },
        'to another account': { headers: good, paywallId: neighbour.id },
        'cut short': { headers: halved(good) },
        'of another scheme': { headers: driver.otherScheme(good) },
        ...(capabilities.webhookAuthenticates === 'the sender, the body and the time' && {
          'too old': { headers: old },
        }),
        ...(capabilities.webhookAuthenticates !== 'the sender' && {
          changed: { headers: good, body: `${webhook.body} ` },
        }),
      }
      for (const [how, sent] of Object.entries(forged)) {
        const refused = { status: 400, body: { error: 'invalid_signature' } }
        expect(await sendWebhook(shop, webhook, sent), how).toMatchObject(refused)
      }
    }
    expect(await countEffects(shop)).toEqual(before)
    for (const webhook of webhooks) expect(await sendWebhook(shop, webhook)).toMatchObject({ status: 200 })
    expect(await countEffects(shop)).toMatchObject({ purchases: before.purchases + 1, payments: before.payments + 1 })
  })

  test('repeated webhooks have no effect, even many at once', async () => {
    const shop = getShop(acquiring)
    const first = webhooksSince(shop)
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, shop.account.renew)
    await causeAtProcessor(buyer, (id) => shop.account.refund(id, 300))
    const again = first().flatMap(({ id }) => [id, id])
    expect(again.length).toBeGreaterThan(0)
    const statuses = await Promise.all(again.map((id) => shop.emulator.resend(id)))
    expect(new Set(statuses.flat())).toEqual(new Set([200]))
    expect(await newEvents(buyer)).toEqual([])
    expect(await readTokens(buyer)).toBe(200)
    await expectStoredAsAtProcessor(buyer)
  })

  test('webhooks that arrive late and in reverse order lead to the processor’s state, with one event for each payment', async () => {
    const shop = getShop(acquiring)
    shop.emulator.holdWebhooks()
    const buyer = await open(shop)
    await pay(buyer)
    expect(await newEvents(buyer)).toEqual([
      'checkout.completed',
      ...eventsFromReads(shop, 999),
      'subscription.created',
    ])
    const id = await getProcessorId(buyer)
    await shop.account.renew(id)
    await shop.account.failCharge(id)
    const statuses = await shop.emulator.sendHeldWebhooks((events) => events.toReversed())
    expect(new Set(statuses)).toEqual(new Set([200]))
    const paid = ['payment.failed 999', 'payment.succeeded 999', 'payment.succeeded 999']
    const received = await newEvents({ ...buyer, received: 0 })
    expect(received.filter((name) => name.startsWith('payment.'))).toEqual(paid)
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'past_due' }] })
    await expectStoredAsAtProcessor(buyer)
  })

  test.each(['monthly', 'lifetime'] as const)('a %s purchase without webhooks is found by reconcile', async (slug) => {
    const shop = getShop(acquiring)
    shop.emulator.holdWebhooks()
    const buyer = await open(shop, slug)
    await press(buyer.checkoutUrl, 'pay')
    await shop.emulator.sendHeldWebhooks(() => [])
    const created = slug === 'monthly' ? ['subscription.created'] : []
    const paid = eventsFromReads(shop, slug === 'monthly' ? 999 : 4900)
    expect(await advanceClock(buyer, '16m')).toEqual(['checkout.completed', ...paid, ...created])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active', price_slug: slug }] })
    expect(await advanceClock(buyer, '1m')).toEqual([])
  })

  test('a renewal and a cancellation without webhooks are found by reconcile', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const withoutWebhooks = async (action: (id: string) => Promise<unknown>) => {
      shop.emulator.holdWebhooks()
      await causeAtProcessor(buyer, action)
      await shop.emulator.sendHeldWebhooks(() => [])
      return advanceClock(buyer, '8d')
    }
    expect(await withoutWebhooks(shop.account.renew)).toEqual([...eventsFromReads(shop, 999), 'subscription.renewed'])
    expect(await readTokens(buyer)).toBe(200)
    expect(await withoutWebhooks(shop.account.cancel)).toEqual(['subscription.cancel_scheduled'])
    expect(await readPurchase(buyer)).toMatchObject({ status: 'active', cancel_at_period_end: true })
    await expectStoredAsAtProcessor(buyer)
  })
})
