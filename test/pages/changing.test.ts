import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { paywallAt } from '../conformance/shop.ts'
import { getPriceId, newEmail } from '../support/checkout.ts'
import { until } from '../support/until.ts'
import { type Pages, startPages } from './pages.ts'
import { BUY, getHeading, press, signIn, type Visitor, visit } from './visitor.ts'

// A subscriber changes the plan on the site, after a look at the cost.

let pages: Pages

beforeAll(async () => {
  pages = await startPages({ paywalls: PROCESSOR_NAMES.map(paywallAt) })
})

afterAll(() => pages.close())

const getPaywall = (acquiring: ProcessorName) =>
  pages.world.file.paywalls.find(({ processor }) => processor.acquiring === acquiring)!

/** A buyer of the monthly price, on the paywall page; signed in unless `isAnonymous`. */
async function visitAsSubscriber(acquiring: ProcessorName, { isAnonymous = false } = {}): Promise<Visitor> {
  const visitor = await visit(pages, { paywall: getPaywall(acquiring), path: '/account' })
  const { page, home } = visitor
  const email = newEmail()
  if (!isAnonymous) await signIn(visitor, email)
  await page.goto(home)
  await page.getByRole('radio', { name: /Monthly/ }).check()
  await press(visitor, BUY)
  await page.waitForURL(`${pages.world[acquiring].url}/**`)
  const address = page.locator('[name=email]:not([readonly])')
  if ((await address.count()) > 0) await address.fill(email)
  await page.locator('[value=pay]').click()
  await page.waitForURL(`${home}/thanks*`)
  await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
  await page.goto(home)
  return visitor
}

/** Waits for the reads after changes. Not every processor sends a webhook of them. */
const untilRead = () =>
  until('the changed subscriptions are read', async () => {
    const { rowCount } = await pages.world.database.query('select from purchases where fetched_at < plan_changed_at')
    return rowCount === 0
  })

const getText = ({ page }: Visitor) => page.getByRole('main').textContent()

describe.each(['stripe', 'polar', 'chargebee', 'mollie'] as const)('through %s', (acquiring) => {
  test('an upgrade shows what is due, is charged, and a downgrade waits for the end of the period', async () => {
    const visitor = await visitAsSubscriber(acquiring)
    const { page, home } = visitor
    expect(await page.getByRole('radio', { name: /Plus/ }).count()).toBe(0)
    await press(visitor, 'Change to Plus', 'link')
    expect(await getHeading(visitor)).toBe('Change to Plus')
    const shown = await getText(visitor)
    const [, due] = /Due today: (\$\d+(?:\.\d\d)?)\./.exec(shown ?? '') ?? []
    expect(shown).toMatch(/This includes a credit of \$9\.9\d/)
    expect(shown).toMatch(/Next payment: \$19\.99 on .*It renews at \$19\.99 per month, until you cancel\./)
    await press(visitor, `Pay ${due} and change`)
    expect(await getHeading(visitor)).toBe('You have changed to Plus')

    await press(visitor, 'Your account', 'link')
    await pages.world[acquiring].drainWebhooks()
    await untilRead()
    await page.reload()
    expect(await page.getByRole('region', { name: 'Plus' }).textContent()).toContain('$19.99 per month')
    await press(visitor, 'Change plan', 'link')
    expect(page.url()).toBe(home)
    await press(visitor, 'Change to Monthly', 'link')
    expect(await getText(visitor)).toMatch(/You keep Plus until .*Due today: \$0\./)
    await press(visitor, /^Change on /)
    expect(await getHeading(visitor)).toMatch(/^You will change to Monthly on /)

    await untilRead()
    await page.goto(home)
    expect(await page.locator('.price', { hasText: 'Monthly' }).textContent()).toContain('Your plan from ')
    expect(await page.getByRole('link', { name: 'Change to Monthly' }).count()).toBe(0)
    await press(visitor, 'Your account', 'link')
    const card = page.getByRole('region', { name: 'Plus' })
    expect(await card.textContent()).toMatch(/You will change to Monthly on /)
    await press(visitor, 'Keep Plus', 'link')
    expect(await getText(visitor)).toMatch(
      /You will not change to Monthly\..*Due today: \$0\..*Next payment: \$19\.99 on /,
    )
    await press(visitor, 'Keep Plus')
    expect(await getHeading(visitor)).toBe('You keep Plus')
    await press(visitor, 'Your account', 'link')
    await pages.world[acquiring].drainWebhooks()
    await untilRead()
    await page.reload()
    expect(await card.textContent()).not.toContain('You will change')
  })
})

test('if the charge is declined, the page says that nothing has changed, and can be sent again', async () => {
  const visitor = await visitAsSubscriber('polar')
  const { page } = visitor
  await press(visitor, 'Change to Plus', 'link')
  const [customer] = [...pages.world.polar.records.customers.keys()].toReversed()
  await pages.world.polar.declineCharges(customer ?? '')
  await press(visitor, /^Pay /)
  expect(await page.getByRole('alert').textContent()).toContain('Your payment was declined, and nothing has changed.')
  await pages.world.polar.declineCharges(customer ?? '', false)
  await press(visitor, /^Pay /)
  expect(await getHeading(visitor)).toBe('You have changed to Plus')
})

test('a form that is sent twice changes the plan once', async () => {
  const visitor = await visitAsSubscriber('polar')
  const { page } = visitor
  await press(visitor, 'Change to Plus', 'link')
  await page.getByRole('button', { name: /^Pay / }).waitFor()
  const form = page.url()
  const fields = await page.evaluate('Object.fromEntries(new FormData(document.querySelector("main form")))')
  for (const _ of [1, 2]) {
    const html = await page.evaluate(
      `fetch('${form}', { method: 'POST', body: new URLSearchParams(${JSON.stringify(fields)}) }).then((reply) => reply.text())`,
    )
    expect(html).toContain('You have changed to Plus')
  }
  const { rows } = await pages.world.database.query(
    'select count(*)::int as changes from plan_changes where reply is not null and idempotency_key = $1',
    [(fields as { key: string }).key],
  )
  expect(rows).toEqual([{ changes: 1 }])
})

describe('a change that was made although its response was lost', () => {
  /** Presses the button, and loses Polar's response to the change. */
  async function loseResponse(visitor: Visitor, beforeLoss: () => Promise<unknown>): Promise<void> {
    const { polar } = pages.world
    await press(visitor, 'Change to Plus', 'link')
    polar.onCall = async ({ method, body }, run) => {
      const reply = await run()
      if (method !== 'PATCH' || !JSON.stringify(body).includes('product_id')) return reply
      await beforeLoss()
      throw new DroppedCall()
    }
    await press(visitor, /^Pay /)
    await visitor.page.waitForLoadState()
    polar.onCall = undefined
  }

  test('is confirmed if a webhook has reported it meanwhile', async () => {
    const visitor = await visitAsSubscriber('polar')
    await loseResponse(visitor, () => pages.world.polar.drainWebhooks())
    expect(await getHeading(visitor)).toBe('You have changed to Plus')
  })

  test('is confirmed when it is sent again', async () => {
    const visitor = await visitAsSubscriber('polar')
    const { polar } = pages.world
    polar.holdWebhooks()
    await loseResponse(visitor, async () => undefined)
    expect(await visitor.page.getByRole('alert').textContent()).toContain('try again')
    await polar.sendHeldWebhooks()
    await press(visitor, 'Change now')
    expect(await getHeading(visitor)).toBe('You have changed to Plus')
  })
})

test('a visitor who has signed out meanwhile is asked to sign in', async () => {
  const visitor = await visitAsSubscriber('polar')
  const { page, home } = visitor
  await press(visitor, 'Change to Plus', 'link')
  const other = await page.context().newPage()
  await other.goto(`${home}/account`)
  await press({ page: other }, 'Sign out')
  await other.waitForURL(home)
  await press(visitor, /^Pay /)
  expect(await page.getByLabel('E-mail address').count()).toBe(1)
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('if the buyer must pay on a page of the processor, the visitor gets there', async () => {
  const visitor = await visitAsSubscriber('stripe')
  const { page } = visitor
  await press(visitor, 'Change to Plus', 'link')
  const [customer] = [...pages.world.stripe.records.customers.keys()].toReversed()
  await pages.world.stripe.declineCharges(customer ?? '')
  await press(visitor, /^Pay /)
  await page.waitForURL(`${pages.world.stripe.url}/i/**`)
})

test('where each change is paid on a page of the processor, the visitor gets there, and is offered no downgrade', async () => {
  const visitor = await visitAsSubscriber('freemius')
  const { page, home } = visitor
  await press(visitor, 'Change to Plus', 'link')
  expect(await getText(visitor)).toContain('The amounts are estimates')
  await press(visitor, /^Pay .* and change/)
  await page.waitForURL(`${pages.world.freemius.url}/product/**`)
  await page.locator('[value=pay]').click()
  await page.waitForURL(`${home}/thanks*`)
  await pages.world.freemius.drainWebhooks()
  await page.goto(home)
  expect(await page.locator('.price', { hasText: 'Plus' }).textContent()).toContain('Your plan')
  expect(await page.getByRole('link', { name: /^Change/ }).count()).toBe(0)
  await page.goto(`${home}/account/change?price=${getPriceId(getPaywall('freemius'), 'monthly')}`)
  expect(page.url()).toBe(home)
})

test('an amount that may have changed is shown again before it is charged', async () => {
  const visitor = await visitAsSubscriber('stripe')
  const { page } = visitor
  await press(visitor, 'Change to Plus', 'link')
  await pages.world.clock.advance(getPaywall('stripe').id, '16m')
  await press(visitor, /^Pay /)
  expect(await page.getByRole('alert').textContent()).toContain('The amount may have changed.')
  await press(visitor, /^Pay /)
  expect(await getHeading(visitor)).toBe('You have changed to Plus')
})

test('a change whose difference takes days is confirmed as one that is on its way', async () => {
  const visitor = await visitAsSubscriber('mollie')
  const { mollie } = pages.world
  mollie.slowCharges = true
  await press(visitor, 'Change to Plus', 'link')
  await press(visitor, /^Pay /)
  mollie.slowCharges = false
  expect(await getHeading(visitor)).toBe('Your change to Plus is on its way')
  expect(await getText(visitor)).toContain('Your plan changes once it is paid.')
  await visitor.page.goto(visitor.home)
  expect(await visitor.page.locator('.price', { hasText: 'Monthly' }).textContent()).toContain('Your plan')
})

test('a subscriber who has not signed in is offered no change', async () => {
  const acquiring = 'stripe'
  const visitor = await visitAsSubscriber(acquiring, { isAnonymous: true })
  const { page, home } = visitor
  expect(await getText(visitor)).toContain('You already have a subscription.')
  expect(await page.getByRole('link', { name: /^Change/ }).count()).toBe(0)
  await page.goto(`${home}/account/change?price=${getPriceId(getPaywall(acquiring), 'plus')}`)
  expect(page.url()).toBe(home)
})

test('a link to a price that is not sold leads back to the prices', async () => {
  const { page, home } = await visitAsSubscriber('stripe')
  await page.goto(`${home}/account/change?price=price_unknown`)
  expect(page.url()).toBe(home)
})
