import { describe, expect, test } from 'vitest'
import { EMULATORS } from '../../dev/emulators/emulators.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { open, order, readPurchase } from '../conformance/buyer.ts'
import { paywallAt, type Shop, shopAt } from '../conformance/shop.ts'
import { heldWebhooks, sendWebhook } from '../conformance/webhook.ts'
import { call } from '../support/call.ts'
import { press } from '../support/checkout.ts'
import { cancel } from '../support/subscriber.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const OPENED = 'credentials were opened'

/** Logs every decryption in the Worker `processors`, which decrypts only credentials. */
const LOG_DECRYPTIONS = `
const decrypt = crypto.subtle.decrypt.bind(crypto.subtle)
crypto.subtle.decrypt = (...given) => {
  console.log('${OPENED}')
  return decrypt(...given)
}`

const world = useTestWorld({
  file: { paywalls: PROCESSOR_NAMES.map(paywallAt) },
  preludes: { processors: LOG_DECRYPTIONS },
})

/** Counts how often credentials are decrypted for a request, and for the work after its response. */
async function countDecryptions(work: () => Promise<unknown>): Promise<number> {
  const count = () => world.logs.filter(({ message }) => message.includes(OPENED)).length
  const before = count()
  await work()
  return count() - before
}

describe.each(PROCESSOR_NAMES.map((acquiring, index) => ({ acquiring, index })))('at $acquiring', ({ index }) => {
  const shop = (): Shop => shopAt(world, world.file.paywalls[index]!, world.file.paywalls[index]!)

  test('each request decrypts the credentials of its account once, however many calls it makes', async () => {
    const { paywall, key, capabilities } = shop()
    expect(await countDecryptions(() => order(shop()))).toBe(1)

    const buyer = await open(shop())
    const seen = { back: '' }
    const webhooks = await heldWebhooks(shop(), async () => {
      seen.back = await press(buyer.checkoutUrl, 'pay')
    })
    expect(await countDecryptions(() => call(world, seen.back))).toBe(1)
    for (const webhook of webhooks) expect(await countDecryptions(() => sendWebhook(shop(), webhook))).toBe(1)

    const path = `/api/v1/paywall/${paywall.id}/get-customer-portal`
    expect(await countDecryptions(() => call(world, path, { key, body: { email: buyer.email } }))).toBe(1)

    const subscriptionId = (await readPurchase(buyer))?.id
    const body = { paywallId: paywall.id, userId: buyer.userId, subscriptionId, cancellationReason: 'too expensive' }
    const cancelling = async () => {
      expect(await cancel(world, { key, body })).toMatchObject({ status: 200 })
      // A cancellation that no webhook reports is fetched after the response.
      const isStored = async () => (await readPurchase(buyer))?.cancel_at_period_end
      if (!capabilities.sendsCancellationWebhook) await until('the cancellation is stored', isStored)
    }
    const counted = { decryptions: 0 }
    await heldWebhooks(shop(), async () => {
      counted.decryptions = await countDecryptions(cancelling)
    })
    expect(counted.decryptions).toBe(1)
  })

  test('a webhook that follows a forged one decrypts the credentials once, too', async () => {
    const { paywall, driver } = shop()
    const [webhook] = await heldWebhooks(shop(), async () => press((await open(shop())).checkoutUrl, 'pay'))
    const forged = driver.sign(webhook!, EMULATORS[paywall.processor.acquiring].demoCredentials() as never)
    for (const headers of [forged, forged]) {
      expect(await countDecryptions(() => sendWebhook(shop(), webhook!, { headers }))).toBe(1)
    }
    expect(await countDecryptions(() => sendWebhook(shop(), webhook!))).toBe(1)
  })
})
