import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { call, type Reply } from '../support/call.ts'
import { newEmail, parseOpened, press } from '../support/checkout.ts'
import { leaksIn } from '../support/leaks.ts'
import { cancel } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import { advanceClock, buy, getSale, newEvents, open, order, pressAndReturn, readPurchase, readState } from './buyer.ts'
import { ODD_REPLIES, withOddReplies } from './odd-replies.ts'
import { type Shop, useShops } from './shop.ts'
import { heldWebhooks, sendWebhook } from './webhook.ts'

const getShop = useShops()

const UNAVAILABLE = { status: 502, error: 'processor_unavailable', retry: '2' }

afterEach(() => {
  for (const acquiring of PROCESSOR_NAMES) getShop(acquiring).emulator.onCall = undefined
})

const summarize = ({ status, body, headers }: Reply) => ({
  status,
  error: (body as { error?: string }).error,
  retry: headers['retry-after'],
})

/** Sends the request with each unexpected reply at each call. Returns our responses that are not `UNAVAILABLE`. */
async function readFaults(shop: Shop, ask: () => Promise<Reply>): Promise<object[]> {
  const faults: object[] = []
  for (const [name, odd] of Object.entries(ODD_REPLIES)) {
    for (let from = 0; ; from++) {
      const { result, odd: count } = await withOddReplies(shop, odd, ask, { from })
      if (count === 0) break
      const response = summarize(result)
      if (JSON.stringify(response) !== JSON.stringify(UNAVAILABLE)) faults.push({ name, from, ...response })
    }
  }
  return faults
}

describe.each(PROCESSOR_NAMES)('%s: an unexpected reply', (acquiring) => {
  test('makes start-checkout return 502, and a retry with the same key opens a page', async () => {
    const shop = getShop(acquiring)
    const email = newEmail()
    let headers = { 'idempotency-key': randomUUID() }
    const keys = [headers]
    const faults = await readFaults(shop, () => {
      headers = { 'idempotency-key': randomUUID() }
      keys.push(headers)
      return order(shop, 'monthly', { headers, email })
    })
    expect(faults).toEqual([])
    expect(parseOpened(await order(shop, 'monthly', { headers: keys.at(-2)!, email })).acquiring).toBe(acquiring)
  })

  test('makes cancel-subscription return 502, and the request can be retried', async () => {
    const shop = getShop(acquiring)
    const { world, paywall, key, capabilities } = shop
    const buyer = await buy(shop)
    const purchase = await readPurchase(buyer)
    const body = { paywallId: paywall.id, userId: buyer.userId, subscriptionId: purchase?.id, cancellationReason: 'x' }
    for (const [name, odd] of Object.entries(ODD_REPLIES)) {
      const { result } = await withOddReplies(shop, odd, () => cancel(world, { key, body }))
      expect(summarize(result), name).toEqual(UNAVAILABLE)
    }
    const { rows } = await world.database.query(
      'select cancel_requested_at is not null as marked, cancel_accepted_at is null as open from purchases where id = $1',
      [purchase?.id],
    )
    expect(rows).toEqual([{ marked: true, open: true }])
    expect((await getSale(buyer)).renews).toBe(true)
    expect(await cancel(world, { key, body })).toMatchObject({ status: 200 })
    expect((await getSale(buyer)).renews).toBe(false)
    if (capabilities.sendsCancellationWebhook) await newEvents(buyer)
  })

  test('to a cancellation counts as success only if the processor shows it as cancelled', async () => {
    const shop = getShop(acquiring)
    const { world, paywall, key, emulator } = shop
    const buyer = await buy(shop)
    const purchase = await readPurchase(buyer)
    const body = { paywallId: paywall.id, userId: buyer.userId, subscriptionId: purchase?.id, cancellationReason: 'x' }
    const ask = () => cancel(world, { key, body })
    const isWrite = ({ method }: { method: string }) => method !== 'GET'
    const answerWritesOddly = (takesEffect: boolean) => {
      emulator.onCall = async (call, run) => {
        if (!isWrite(call)) return run()
        if (takesEffect) await run()
        return ODD_REPLIES['a 204']!
      }
    }

    answerWritesOddly(false)
    expect(summarize(await ask())).toEqual(UNAVAILABLE)
    emulator.onCall = undefined
    expect((await getSale(buyer)).renews).toBe(true)
    const stored =
      'select cancel_requested_at is not null as marked, reconcile_at is not null as due from purchases where id = $1'
    expect((await world.database.query(stored, [purchase?.id])).rows).toEqual([{ marked: true, due: true }])
    expect(await advanceClock(buyer, '11m')).toEqual([])
    expect(await readPurchase(buyer)).toMatchObject({ status: 'active', cancel_at_period_end: false })

    emulator.holdWebhooks()
    answerWritesOddly(true)
    expect(await ask()).toMatchObject({ status: 200, body: { subscription: { cancel_at_period_end: true } } })
    emulator.onCall = undefined
    expect((await getSale(buyer)).renews).toBe(false)
    await emulator.sendHeldWebhooks(() => [])
    expect(await advanceClock(buyer, '11m')).toEqual(['subscription.cancel_scheduled'])
  })

  test('makes a webhook be kept or answered with 502, and it takes effect when the purchase is read', async () => {
    const shop = getShop(acquiring)
    const buyer = await open(shop)
    const webhooks = await heldWebhooks(shop, () => press(buyer.checkoutUrl, 'pay'))
    for (const [name, odd] of Object.entries(ODD_REPLIES)) {
      for (const webhook of webhooks) {
        const { result, odd: count } = await withOddReplies(shop, odd, () => sendWebhook(shop, webhook))
        if (count > 0) expect([200, 502], name).toContain(result.status)
        if (result.status === 502) expect(summarize(result), name).toEqual(UNAVAILABLE)
      }
    }
    for (const webhook of webhooks) expect(await sendWebhook(shop, webhook)).toMatchObject({ status: 200 })
    await until('the purchase is stored', async () => (await readState(buyer)).paid)
  })

  test('does not keep a returning buyer from the thanks page', async () => {
    const shop = getShop(acquiring)
    shop.emulator.holdWebhooks()
    for (const [name, odd] of Object.entries(ODD_REPLIES)) {
      const buyer = await open(shop)
      const { result } = await withOddReplies(shop, odd, () => pressAndReturn(buyer, 'pay'))
      expect(result, name).toContain('https://owner.example/thanks')
    }
    await shop.emulator.sendHeldWebhooks()
  })

  test('makes reconcile retry later', async () => {
    const shop = getShop(acquiring, 1)
    shop.emulator.holdWebhooks()
    const buyer = await open(shop)
    await press(buyer.checkoutUrl, 'pay')
    const replies = ['a 204', 'null', 'HTML', 'a list', '403 in HTML', '404 with an empty object']
    for (const name of replies) {
      await withOddReplies(shop, ODD_REPLIES[name]!, () => shop.world.clock.advance(shop.paywall.id, '31m'))
    }
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [] })
    await shop.emulator.sendHeldWebhooks(() => [])
    expect(await advanceClock(buyer, '24h')).toEqual(
      expect.arrayContaining(['checkout.completed', 'subscription.created']),
    )
  })

  test('is logged as a ProcessorError, without credentials and without its body', () => {
    const { world, paywall } = getShop(acquiring)
    const isSecret = ([field]: string[]) => DEFINITIONS[acquiring].credentials[field ?? '']?.secret
    const secrets = Object.entries(paywall.processor.credentials).filter(isSecret)
    expect(leaksIn(world, [...secrets.map(([, text]) => text), 'Attention Required'])).toEqual([])
    expect(world.logs.map(({ message }) => message).join()).toContain(`ProcessorError: ${acquiring}`)
    expect(world.logs.filter(({ message }) => message.includes('unexpected failure'))).toEqual([])
  })
})

describe.each(PROCESSOR_NAMES.filter((each) => DEFINITIONS[each].capabilities.portal))(
  '%s: an unexpected reply',
  (acquiring) => {
    test('makes get-customer-portal return 502', async () => {
      const shop = getShop(acquiring)
      const { world, paywall, key } = shop
      const buyer = await buy(shop)
      const path = `/api/v1/paywall/${paywall.id}/get-customer-portal`
      const ask = () => call(world, path, { key, body: { email: buyer.email } })
      expect(await readFaults(shop, ask)).toEqual([])
      expect(await ask()).toMatchObject({ status: 200 })
    })
  },
)
