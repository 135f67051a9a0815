import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { call, type Reply } from '../support/call.ts'
import { newEmail, parseOpened, press } from '../support/checkout.ts'
import { leaksIn } from '../support/leaks.ts'
import { cancel } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import {
  advanceClock,
  type Buyer,
  buy,
  expectStoredAsAtProcessor,
  getProcessorId,
  getSale,
  newEvents,
  open,
  order,
  pay,
  pressAndReturn,
  readPurchase,
  readState,
} from './buyer.ts'
import type { Webhook } from './drivers/driver.ts'
import { expectRefusal, type Outage, throughEachOutage, withFault } from './outage.ts'
import { type Shop, useShops } from './shop.ts'
import { heldWebhooks, sendWebhook } from './webhook.ts'

const getShop = useShops()

const expectOk = ({ status }: { status: number }) => expect(status).toBe(200)

/** The index of the first webhook that makes us call the processor. */
async function findCallingWebhook(shop: Shop, webhooks: Webhook[]): Promise<number> {
  for (const [index, webhook] of webhooks.entries()) {
    const before = shop.emulator.calls.length
    expectOk(await sendWebhook(shop, webhook))
    if (shop.emulator.calls.length > before) return index
  }
  throw new Error(`no webhook of ${shop.acquiring} causes a call`)
}

/** Checks that the webhook is kept for a later read, or refused if the processor has to send it again. */
function expectKept({ driver }: Shop, reply: Reply, outage: Outage): void {
  if (reply.status !== 200 && !driver.namesPurchases) expectRefusal(reply, outage)
  else expectOk(reply)
}

/** Sends the webhook that causes a call to the processor, with each fault at each call. Checks what it has done at the end. */
async function throughEachWebhookOutage(
  shop: Shop,
  create: () => Promise<{ buyer: Buyer; webhooks: Webhook[] }>,
  checkEffect: (buyer: Buyer) => Promise<void>,
): Promise<void> {
  const index = await findCallingWebhook(shop, (await create()).webhooks)
  await throughEachOutage(shop, {
    create,
    send: ({ webhooks }) => sendWebhook(shop, webhooks[index]!),
    async checkRefusal(_, outage, reply) {
      expectKept(shop, reply, outage)
      return true
    },
    async checkSuccess({ buyer }, reply) {
      expectOk(reply)
      await checkEffect(buyer)
    },
  })
}

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('start-checkout returns the right error when any of its calls fails, and a retry with the same key opens one page', async () => {
    const shop = getShop(acquiring)
    await throughEachOutage(shop, {
      create: async () => ({ headers: { 'idempotency-key': randomUUID() }, email: newEmail(), pages: '' }),
      send: ({ headers, email }) => order(shop, 'monthly', { headers, email }),
      async checkRefusal(subject, outage, reply, lost) {
        expectRefusal(reply, outage)
        subject.pages = lost.join()
        return true
      },
      async checkSuccess({ pages }, reply) {
        const { checkoutUrl } = parseOpened(reply)
        expect(reply.headers).not.toHaveProperty('idempotency-replayed')
        // If the failed request opened a page after all, the retry returns the same one.
        const opener = checkoutUrl.slice(0, checkoutUrl.lastIndexOf('/'))
        if (shop.capabilities.idempotencyKeys && pages.includes(opener)) expect(pages).toContain(checkoutUrl)
      },
    })
  })

  test('cancel-subscription returns the right error when any of its calls fails, and can be retried', async () => {
    const shop = getShop(acquiring)
    const { world, paywall, key, emulator, capabilities } = shop
    emulator.holdWebhooks()
    await throughEachOutage(shop, {
      ...(capabilities.cancellationReason === 'in a separate call' && { requiredCalls: 1 }),
      async create() {
        const buyer = await open(shop)
        await pay(buyer)
        await newEvents(buyer)
        const subscriptionId = (await readPurchase(buyer))?.id
        return { buyer, body: { paywallId: paywall.id, userId: buyer.userId, subscriptionId, cancellationReason: 'x' } }
      },
      send: ({ body }) => cancel(world, { key, body }),
      async checkRefusal({ buyer }, outage, reply) {
        // Once the cancellation took effect, only the read that confirms it can fail, and that can be retried.
        const isCancelled = !(await getSale(buyer)).renews
        expectRefusal(reply, isCancelled ? { ...outage, error: 'processor_unavailable' } : outage)
        expect(await readPurchase(buyer)).toMatchObject({ status: 'active', cancel_at_period_end: false })
        return isCancelled
      },
      async checkSuccess({ buyer }, reply) {
        expectOk(reply)
        // Without a webhook the state is fetched after the response. Reconcile does not touch it until then.
        const isStored = async () => (await readPurchase(buyer))?.cancel_at_period_end
        if (!capabilities.sendsCancellationWebhook) await until('the cancellation is stored', isStored)
        expect(await advanceClock(buyer, '11m')).toEqual(['subscription.cancel_scheduled'])
        await expectStoredAsAtProcessor(buyer)
      },
    })
    await emulator.sendHeldWebhooks(() => [])
  })

  test('a webhook is kept when one of its calls fails, and takes effect later or when it is sent again', async () => {
    const shop = getShop(acquiring)
    const create = async () => {
      const buyer = await open(shop)
      return { buyer, webhooks: await heldWebhooks(shop, () => press(buyer.checkoutUrl, 'pay')) }
    }
    await throughEachWebhookOutage(shop, create, async (buyer) => {
      expect(await newEvents(buyer)).toEqual(expect.arrayContaining(['checkout.completed', 'subscription.created']))
      await expectStoredAsAtProcessor(buyer)
    })
  })

  test('a refund webhook is kept when one of its calls fails, and takes effect once', async () => {
    const shop = getShop(acquiring)
    const create = async () => {
      const buyer = await buy(shop)
      const id = await getProcessorId(buyer)
      return { buyer, webhooks: await heldWebhooks(shop, () => shop.account.refund(id, 300)) }
    }
    await throughEachWebhookOutage(shop, create, async (buyer) => {
      expect(await newEvents(buyer)).toEqual(['payment.refunded 300'])
    })
  })

  test('a buyer who returns while the processor is down sees the thanks page, and reconcile finds the purchase', async () => {
    const shop = getShop(acquiring)
    shop.emulator.holdWebhooks()
    const buyer = await open(shop)
    const { result, lost } = await withFault(shop, { fault: 500, from: 0 }, () => pressAndReturn(buyer, 'pay'))
    expect([lost, result]).toEqual([[], expect.stringContaining('https://owner.example/thanks')])
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [] })
    await shop.emulator.sendHeldWebhooks(() => [])
    const paid = shop.capabilities.readsIncludePayments ? ['payment.succeeded 999'] : []
    expect(await advanceClock(buyer, '16m')).toEqual(['checkout.completed', ...paid, 'subscription.created'])
  })

  test('webhooks that arrive while the processor is down take effect when it is up again', async () => {
    const shop = getShop(acquiring)
    shop.emulator.holdWebhooks()
    const buyer = await open(shop)
    await press(buyer.checkoutUrl, 'pay')
    const sent = await withFault(shop, { fault: 500, from: 0 }, () => shop.emulator.sendHeldWebhooks())
    if (shop.driver.namesPurchases) expect(new Set(sent.result)).toEqual(new Set([200]))
    await advanceClock(buyer, '3h')
    expect(await newEvents({ ...buyer, received: 0 })).toEqual([
      'checkout.completed',
      'payment.succeeded 999',
      'subscription.created',
    ])
    await expectStoredAsAtProcessor(buyer)
  })

  test("failed calls are logged, without the processor's response and without credentials", () => {
    const { world, paywall } = getShop(acquiring)
    const isSecret = ([field]: string[]) => DEFINITIONS[acquiring].credentials[field ?? '']?.secret
    const secrets = Object.entries(paywall.processor.credentials).filter(isSecret)
    expect(
      leaksIn(
        world,
        secrets.map(([, text]) => text),
      ),
    ).toEqual([])
    expect(world.logs.map(({ message }) => message).join()).toContain(`ProcessorError: ${acquiring}`)
  })
})

describe.each(PROCESSOR_NAMES.filter((each) => DEFINITIONS[each].capabilities.portal))('%s', (acquiring) => {
  test('get-customer-portal returns the right error when any of its calls fails', async () => {
    const shop = getShop(acquiring)
    const { world, paywall, key } = shop
    const buyer: Buyer = await buy(shop)
    const path = `/api/v1/paywall/${paywall.id}/get-customer-portal`
    await throughEachOutage(shop, {
      create: async () => null,
      send: () => call(world, path, { key, body: { email: buyer.email } }),
      async checkRefusal(_, outage, reply) {
        expectRefusal(reply, outage)
        return false
      },
      checkSuccess: async (_, reply) => expectOk(reply),
    })
  })
})
