import { beforeAll, describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { call } from '../support/call.ts'
import { FULL_SIZE } from '../support/full-size.ts'
import { type FileJson, paywallFile } from '../support/paywall-file.ts'
import { useTestWorld } from '../support/world.ts'
import {
  advanceClock,
  type Buyer,
  buy,
  cancelThroughApi,
  causeAtProcessor,
  expectStoredAsAtProcessor,
  getProcessorId,
  getSale,
  newEvents,
  open,
  order,
  pay,
  readPurchase,
  readState,
} from './buyer.ts'
import { paywallAt, type Shop, shopAt } from './shop.ts'
import { heldWebhooks, sendWebhook } from './webhook.ts'

/**
 * Pairs of processors before and after a switch: each with itself, which means another account, and with the next one; at full size
 * with all others.
 */
const FOLLOWERS = FULL_SIZE ? PROCESSOR_NAMES.length : 2
const CHANGES = PROCESSOR_NAMES.flatMap((from, index) =>
  [...PROCESSOR_NAMES, ...PROCESSOR_NAMES]
    .slice(index, index + FOLLOWERS)
    .map((to): [from: ProcessorName, to: ProcessorName] => [from, to]),
)
const SWITCHES = CHANGES.filter(([from, to]) => from !== to)

/** The shop before and after each switch, with two buyers from before. */
let changed: { before: Shop; after: Shop; buyers: [Buyer, Buyer] }[]

const world = useTestWorld({ file: { paywalls: CHANGES.map(([from]) => paywallAt(from)) } })

beforeAll(async () => {
  const shops = world.file.paywalls.map((paywall) => shopAt(world, paywall, paywall))
  const buyers = await Promise.all(shops.map((shop) => Promise.all([buy(shop), buy(shop)])))
  const after = await getFile(CHANGES.map(([, to], index) => ({ id: shops[index]!.paywall.id, ...paywallAt(to) })))
  await world.apply(after)
  changed = shops.map((before, index) => {
    const paywall = after.paywalls[index]!
    return { before, after: shopAt(world, paywall, paywall), buyers: buyers[index]! }
  })
})

/** The world's file with other paywalls. */
function getFile(paywalls: FileJson[]) {
  const { owner, webhooks } = world.file
  return paywallFile({
    owner,
    keys: [{ name: 'backend', secret: world.key }],
    webhooks: webhooks.map(({ url, secret }) => ({ url, secret })),
    paywalls,
  })
}

const getChange = (from: ProcessorName, to: ProcessorName) =>
  changed[CHANGES.findIndex(([one, other]) => one === from && other === to)]!

const again = { body: { ignoreActivePurchase: true } }

/** The origin of the portal that opens for a buyer, or `none`. */
async function readPortal({ shop: { paywall, key }, email }: Buyer): Promise<string> {
  const reply = await call(world, `/api/v1/paywall/${paywall.id}/get-customer-portal`, { key, body: { email } })
  if (reply.status === 200) return new URL(String((reply.body as { url: unknown }).url)).origin
  expect(reply).toMatchObject({ status: 403, body: { error: 'portal_unavailable', isTest: '1' } })
  return 'none'
}

const portalAt = ({ capabilities, emulator }: Shop) => (capabilities.portal ? emulator.url : 'none')

describe.each(SWITCHES)('a paywall that has switched from %s to %s', (from, to) => {
  test('manages earlier purchases at the old processor: webhooks, reconcile, portal and cancellation', async () => {
    const { before, buyers } = getChange(from, to)
    const [buyer] = buyers
    expect(await causeAtProcessor(buyer, before.account.renew)).toEqual([
      'payment.succeeded 999',
      'subscription.renewed',
    ])
    await heldWebhooks(before, async () => before.account.renew(await getProcessorId(buyer)))
    // At some processors a payment whose webhook is lost also shows in reads.
    const received = await advanceClock(buyer, '8d')
    expect(received.filter((name) => name !== 'payment.succeeded 999')).toEqual(['subscription.renewed'])
    expect(await readPortal(buyer)).toBe(portalAt(before))
    expect(await cancelThroughApi(buyer)).toMatchObject({ status: 200 })
    expect(await newEvents(buyer)).toEqual(['subscription.cancel_scheduled'])
    expect(await getSale(buyer)).toMatchObject({ status: 'active', renews: false })
  })

  test('sells through the new processor with new price ids, and shows both purchases', async () => {
    const { before, after, buyers } = getChange(from, to)
    const [, { email, ...old }] = buyers
    const olderId = await getProcessorId(buyers[1])
    const [oldPrice, newPrice] = [before, after].map(({ paywall }) => paywall.prices.find(isMonthly)?.id)
    expect(newPrice).not.toBe(oldPrice)
    const missing = { status: 404, body: { error: 'price_not_found' } }
    expect(await order(before, 'monthly', { email, ...again })).toMatchObject(missing)
    expect(await order(after, 'monthly', { email })).toMatchObject({ status: 409, body: { error: 'active_purchase' } })

    const buyer = { ...(await open(after, 'monthly', { email, ...again })), received: old.received }
    await pay(buyer)
    const bought = ['checkout.completed', 'payment.succeeded 999', 'subscription.created']
    expect(await newEvents(buyer)).toEqual([...bought, 'subscription.cancel_scheduled'].toSorted())
    const purchases = [
      { acquiring: to, price_id: newPrice, status: 'active' },
      { acquiring: from, price_id: oldPrice, status: 'active' },
    ]
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases })
    await expectStoredAsAtProcessor(buyer)
    expect(await readPortal(buyer)).toBe(portalAt(after))
    const older = before.account.sales().find(({ processorId }) => processorId === olderId)
    expect(older).toMatchObject({ status: 'active', renews: false })
  })
})

const isMonthly = ({ slug }: { slug: string }) => slug === 'monthly'

describe.each(PROCESSOR_NAMES)('a paywall that has switched to another account at %s', (acquiring) => {
  test('cannot cancel purchases of the old account, and does not change them', async () => {
    const { before, buyers } = getChange(acquiring, acquiring)
    const [buyer] = buyers
    const purchase = await readPurchase(buyer)
    expect(await cancelThroughApi(buyer)).toMatchObject({ status: 502, body: { error: 'processor_rejected' } })
    expect([await advanceClock(buyer, '8d'), await readPurchase(buyer)]).toEqual([[], purchase])
    const event = { id: 'event_1', body: JSON.stringify({ id: 'event_1' }), at: new Date() }
    expect(await sendWebhook(before, event)).toMatchObject({ status: 400, body: { error: 'invalid_signature' } })
  })

  test('sells to existing customers, and emits subscription.stop_failed if their old subscription cannot be stopped', async () => {
    const { after, buyers } = getChange(acquiring, acquiring)
    const [, { email }] = buyers
    const buyer = await buy(after, 'monthly', { email, ...again })
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ acquiring }, { acquiring }] })
    await expectStoredAsAtProcessor(buyer)
    expect(await advanceClock(buyer, '25h')).toEqual(['subscription.stop_failed'])
  })
})
