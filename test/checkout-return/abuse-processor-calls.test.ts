import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Filler } from '../../bench/fill/insert.ts'
import { openCheckout, payOnPage } from '../support/anonymous.ts'
import { call } from '../support/call.ts'
import { type Opened, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { loseWebhooks, payWithoutWebhooks } from '../support/lost-webhooks.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { raceStatements } from '../support/statement-barrier.ts'
import { purchaseAtStripe } from '../support/stripe-purchase.ts'
import { atNewPaywall, newTenant } from '../support/tenants.ts'
import { until } from '../support/until.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ file: { webhooks: [] } })

beforeEach(() => world.stripe.holdWebhooks())
afterEach(() => {
  world.neon.onStatement = undefined
})

const getPageId = (checkoutUrl: string) => checkoutUrl.split('/').at(-1) ?? ''
const reconcile = () => world.workers.scheduled('reconcile')

/** Counts the calls to Stripe about a page during `run`. */
async function countCalls(pageId: string, run: () => Promise<unknown>): Promise<number> {
  const before = world.stripe.calls.length
  await run()
  return world.stripe.calls.slice(before).filter(({ path }) => path.endsWith(`/${pageId}`)).length
}

describe('a return URL asks the processor at most once in five seconds', () => {
  const order = async () => parseOpened(await startCheckout(world, { paywall: world.paywall, key: world.key }))
  const readReturnUrl = async ({ checkoutUrl }: Opened) =>
    (await press(checkoutUrl, 'cancel')).replace(/error$/, 'success')
  const visit = (returnUrl: string, times: number) =>
    Promise.all(Array.from({ length: times }, () => call(world, returnUrl)))

  test('with twenty concurrent visits, one asks and all are redirected', async () => {
    const checkout = await order()
    const returnUrl = await readReturnUrl(checkout)
    raceStatements(world, 'read_checkout', 20)
    const visitTwentyTimes = async () => {
      for (const { status } of await visit(returnUrl, 20)) expect(status).toBe(303)
    }
    expect(await countCalls(getPageId(checkout.checkoutUrl), visitTwentyTimes)).toBe(1)
    expect(await countCalls(getPageId(checkout.checkoutUrl), visitTwentyTimes)).toBe(0)
  })

  test('and asks again five seconds later', async () => {
    const checkout = await order()
    const returnUrl = await readReturnUrl(checkout)
    const { checkoutUrl, userId } = checkout
    expect(await countCalls(getPageId(checkoutUrl), () => visit(returnUrl, 1))).toBe(1)
    const age = (time: string) =>
      world.database.query('update checkouts set asked_at = asked_at - $2::interval where user_id = $1', [userId, time])
    await age('4 seconds')
    expect(await countCalls(getPageId(checkoutUrl), () => visit(returnUrl, 1))).toBe(0)
    await age('1 second')
    expect(await countCalls(getPageId(checkoutUrl), () => visit(returnUrl, 3))).toBe(1)
  })
})

describe('a superseded page', () => {
  const twentyMinutesPass = () => world.clock.advance(world.paywall.id, '20m')
  /** Opens another page for the same user, and waits until Stripe was called about the previous one. */
  async function supersede(token: string, previousUrl: string) {
    const before = world.stripe.calls.length
    await openCheckout(world, token)
    await until('Stripe was called about the previous page', async () =>
      world.stripe.calls.slice(before).some(({ path }) => path.includes(getPageId(previousUrl))),
    )
  }
  const readDue = async (url: string) => {
    const { rows } = await world.database.query('select reconcile_at from checkouts where hosted_page_id = $1', [
      getPageId(url),
    ])
    return rows[0].reconcile_at
  }

  test('that is closed is not polled any more', async () => {
    const { token } = await signInAnonymously(world)
    const checkoutUrl = await openCheckout(world, token)
    expect(await readDue(checkoutUrl)).not.toBeNull()
    await supersede(token, checkoutUrl)
    await until('it is no longer due', async () => (await readDue(checkoutUrl)) === null)
    expect(await countCalls(getPageId(checkoutUrl), twentyMinutesPass)).toBe(0)
  })

  test('that was paid just before it could be closed still becomes a purchase', async () => {
    const { token, user } = await signInAnonymously(world)
    const checkoutUrl = await openCheckout(world, token)
    await payOnPage(checkoutUrl)
    await loseWebhooks(world)
    await supersede(token, checkoutUrl)
    expect(await countCalls(getPageId(checkoutUrl), twentyMinutesPass)).toBe(1)
    expect(await userState(world, user.id)).toMatchObject({ paid: true })
  })

  test('that could not be closed is polled as before', async () => {
    const { token } = await signInAnonymously(world)
    const checkoutUrl = await openCheckout(world, token)
    for (const _ of [1, 2]) world.stripe.failNext(`/v1/checkout/sessions/${getPageId(checkoutUrl)}`, 500)
    await supersede(token, checkoutUrl)
    await until('it is logged', async () =>
      world.logs.some(({ message }) => message.includes('superseded checkout not closed')),
    )
    expect(await readDue(checkoutUrl)).not.toBeNull()
  })
})

/** Inserts unpaid open pages that are due, copied from the checkout of a tenant. */
async function fillWithPages(
  tenant: { paywall: { id: string } },
  count: number,
  overrides: Record<string, string> = {},
) {
  const { rows } = await world.database.query('select * from checkouts where paywall_id = $1', [tenant.paywall.id])
  const { id: _, created_at: _at, customers: _customers, options: _options, ...row } = rows[0]
  await using filler = await Filler.open(world.databaseUrl)
  const columns = Object.entries({
    ...row,
    hosted_page_id: 'cs_test_nobody',
    reconcile_at: null,
    purge_at: null,
    asked_at: null,
  })
  const sameForAll = columns.map(([name, value]) => [name, value === null ? 'null' : `'${value}'`])
  const page = { ...Object.fromEntries(sameForAll), id: 'gen_random_uuid()', created_at: `now() - interval '1 hour'` }
  const due = { reconcile_at: `now() - interval '40 minutes'` }
  await filler.insert('checkouts', { from: 1, to: count }, { ...page, ...due, ...overrides })
}

test('60 paywalls with 40 open pages each are all polled in one run, which ends before it has polled all pages', async () => {
  const tenant = await newTenant(world)
  parseOpened(await startCheckout(world, tenant))
  // These 60 paywalls have no account, so that no processor is called.
  await fillWithPages(tenant, 60 * 40, { paywall_id: '(7000000000000 + n % 60)::text' })
  await reconcile()
  const { rows } = await world.database.query(
    `select count(polled_at)::int as looks from checkouts
     where paywall_id like '70000000000__' group by paywall_id`,
  )
  await world.database.query("delete from checkouts where paywall_id like '70000000000__'")
  expect(rows).toHaveLength(60)
  // A run polls 1,000 pages, which is 16 of each paywall.
  expect(Math.min(...rows.map(({ looks }) => looks))).toBeGreaterThanOrEqual(8)
})

test('1,200 open pages of one paywall do not keep another’s lost purchase from being found', async () => {
  const attacked = await newTenant(world)
  parseOpened(await startCheckout(world, attacked))
  await fillWithPages(attacked, 1_200)

  const shop = await atNewPaywall(world)
  const paid = await payWithoutWebhooks(shop)
  await world.clock.advance(shop.paywall.id, '20m')
  expect((await userState(shop, paid.userId)).purchases).toMatchObject([purchaseAtStripe(world, paid.subscriptionId)])
  const left = await world.database.query(
    'select from checkouts where paywall_id = $1 and reconcile_at <= now() and polled_at is null',
    [attacked.paywall.id],
  )
  expect(left.rowCount).toBeGreaterThan(100) // a run ends before it has polled them all
})
