import { describe, expect, test } from 'vitest'
import { payOnPage } from '../support/anonymous.ts'
import { call } from '../support/call.ts'
import { getPriceId, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { runInLockOrder } from '../support/held-member.ts'
import { getPayments, listSubscriptions, mollieProcessor } from '../support/mollie-purchase.ts'
import { findSequenceErrors, ownerEvents } from '../support/owner-events.ts'
import { yearly } from '../support/paywall-file.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

// At Mollie a page cannot be closed: a user who opens several before the first trial begins is offered as many trials.

/** Sells a year for 8,000 premium tokens after a trial of 7 days with 50 of them. */
const prices = [yearly({ tokens: [{ type: 'premium', count: 8000, trial_count: 50 }] })]
const world = useTestWorld({ file: { paywall: { processor: mollieProcessor(), prices } } })

/** Waits until all webhooks of Mollie have arrived. */
const drainWebhooks = () => world.mollie.drainWebhooks()

/** Opens five pages for a new user, each before a trial begins. */
async function openFivePages() {
  const { paywall } = world
  const { token, id } = await signIn(world)
  const pages: string[] = []
  for (let count = 0; count < 5; count += 1) {
    const body = { priceId: getPriceId(paywall, 'yearly') }
    pages.push(parseOpened(await startCheckout(world, { paywall, token, body })).checkoutUrl)
  }
  return { id, pages }
}

describe('five open pages', () => {
  test('that are paid at once start one trial: the others are never charged and credit nothing', async () => {
    const { id, pages } = await openFivePages()
    world.mollie.holdWebhooks()
    const returnUrls = await Promise.all(pages.map((page) => payOnPage(page)))
    const returns = await runInLockOrder(
      world,
      id,
      returnUrls.map((returnUrl) => () => call(world, returnUrl)),
    )
    await world.mollie.sendHeldWebhooks()
    await drainWebhooks()

    const locations = returns.map(({ headers }) => headers.location).toSorted()
    expect(locations.map((location) => location?.split('?')[0])).toEqual([
      ...Array(4).fill('https://owner.example/sorry'),
      'https://owner.example/thanks',
    ])
    const { purchases, paid } = await userState(world, id)
    expect(paid).toBe(true)
    expect(purchases.map(({ status }) => status)).toEqual(['trialing'])
    expect(await verifiedBalances(world, id)).toMatchObject({ premium: 50 })
    const atMollie = listSubscriptions(world, id).map(({ status }) => status)
    expect(atMollie.toSorted()).toEqual(['active', 'canceled', 'canceled', 'canceled', 'canceled'])
    const events = await ownerEvents(world, id)
    expect(events.map(({ type }) => type)).toEqual(['checkout.completed', 'subscription.created'])
    expect(findSequenceErrors(events)).toEqual([])
  })

  test('start one trial if only their webhooks arrive, even repeatedly', async () => {
    const { id, pages } = await openFivePages()
    await Promise.all(pages.map((page) => payOnPage(page)))
    await drainWebhooks()
    for (const event of world.mollie.events.slice(-10)) await world.mollie.resend(event.id)
    await world.workers.scheduled('reconcile')
    expect((await userState(world, id)).purchases.map(({ status }) => status)).toEqual(['trialing'])
    expect(await verifiedBalances(world, id)).toMatchObject({ premium: 50 })
    expect(listSubscriptions(world, id).filter(({ status }) => status === 'active')).toHaveLength(1)
  })

  test('start no second trial if one of them is paid after the first trial has ended', async () => {
    const { id, pages } = await openFivePages()
    await call(world, await payOnPage(pages[0]!))
    await drainWebhooks()
    await world.database.query(
      "update purchases set status = 'canceled', reconcile_at = null where user_id = $1", // as if its trial had ended
      [id],
    )
    await call(world, await payOnPage(pages[1]!))
    await drainWebhooks()
    expect(await userState(world, id)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
  })
})

test('a pending payment that would start a second trial is listed as canceled once it is paid', async () => {
  const { id, pages } = await openFivePages()
  await press(pages[1]!, 'later')
  await drainWebhooks()
  await call(world, await payOnPage(pages[0]!))
  await drainWebhooks()
  const statuses = async () => (await userState(world, id)).purchases.map(({ status }) => status)
  expect(await statuses()).toEqual(['trialing', 'pending'])
  const pending = getPayments(world, id).find(({ status }) => status === 'pending')
  await world.mollie.resolvePayment(String(pending?.id))
  await drainWebhooks()
  expect(await statuses()).toEqual(['trialing', 'canceled'])
  expect(await verifiedBalances(world, id)).toMatchObject({ premium: 50 })
  expect(listSubscriptions(world, id).filter(({ status }) => status === 'active')).toHaveLength(1)
  expect((await ownerEvents(world, id)).map(({ type }) => type)).toEqual(['checkout.completed', 'subscription.created'])
})

test('a trial that could not be ended at the processor is ended by the processor’s next webhook', async () => {
  const { id, pages } = await openFivePages()
  await call(world, await payOnPage(pages[0]!))
  await drainWebhooks()
  world.mollie.holdWebhooks()
  await payOnPage(pages[1]!)
  const paid = world.mollie.events.at(-1)!
  world.mollie.onCall = async ({ method }, run) => {
    if (method === 'DELETE') throw new Error('cut off')
    return run()
  }
  expect(await world.mollie.resend(paid.id)).toEqual([200])
  world.mollie.onCall = undefined
  expect(listSubscriptions(world, id).map(({ status }) => status)).toEqual(['active', 'active'])
  expect(await world.mollie.resend(paid.id)).toEqual([200])
  expect(listSubscriptions(world, id).map(({ status }) => status)).toEqual(['active', 'canceled'])
  await world.mollie.sendHeldWebhooks()
})
