import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Home } from '../../dev/world/home/home.ts'
import { buyAtHome, type HomeVisit, section, shown, visitHome } from '../support/home.ts'
import type { TestWorld } from '../support/world.ts'

let visit: HomeVisit
let world: TestWorld
let home: Home
let page: Page

beforeAll(async () => {
  visit = await visitHome()
  ;({ world, home, page } = visit)
})
afterAll(() => visit.close())

describe('home', () => {
  test('sells, and shows the purchase and its events as they arrive', async () => {
    const email = await buyAtHome(visit, 'Monthly')
    await section(visit, 'Subscriptions and purchases').getByText(`Monthly of ${email}: active`).waitFor()
    const created = section(visit, 'Events').getByRole('group').filter({ hasText: 'subscription.created' })
    await created.locator('summary').getByText(email).waitFor()
    await shown(visit).getByText(`Opened a page of Stripe where ${email} can pay for Monthly, $9.99.`).waitFor()

    await created.locator('summary').click()
    await created.getByRole('link', { name: 'Copy as JSON' }).click()
    await created.getByRole('link', { name: 'Copied' }).waitFor()
    const copied: { type: string } = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'))
    expect(copied.type).toBe('subscription.created')
  })

  test('buys as the last buyer by default', async () => {
    expect(await (await fetch(home.url)).text()).toMatch(/id="buyer"[^>]* value="[^"]+@[\w.]+"/)
    const email = await buyAtHome(visit, 'Monthly')
    expect(await page.getByLabel('Buy as').inputValue()).toBe(email)
  })

  test('shows each event as a command that sends it again', async () => {
    const { receiver } = world
    await buyAtHome(visit, 'Monthly')
    const { id, body } = await receiver.waitFor((received) => received.body.includes('subscription.created'))
    const command = await (await fetch(`${home.url}/events/${id}/curl`)).text()
    await promisify(exec)(command.replace('http://127.0.0.1:3000', receiver.url))
    expect(receiver.received.filter((received) => received.body === body)).toMatchObject([
      { verified: true, path: '/webhooks' },
      { verified: true, path: '/webhooks' },
    ])
  })

  test('runs actions on a subscription at its processor, and reports the result', async () => {
    const email = await buyAtHome(visit, 'Monthly')
    const press = (label: string) => page.getByRole('button', { name: `${label}: Monthly of ${email}` }).click()
    await press('Fail the renewal charge')
    await shown(visit)
      .getByText('its charge failed. Events sent to the owner: subscription.past_due, payment.failed.')
      .waitFor()
    await press('Recover')
    await shown(visit).getByText('was paid. Events sent to the owner: ').waitFor()
    await press('Cancel')
    await shown(visit)
      .getByText('It was cancelled at the processor. Events sent to the owner: subscription.cancel_scheduled.')
      .waitFor()
    await press('Undo the cancellation')
    await shown(visit).getByText('subscription.uncanceled').waitFor()
  })

  test('changes the plan of a subscription, now or at the end of its period', async () => {
    const email = await buyAtHome(visit, 'Monthly')
    const ours = page.getByRole('article').filter({ hasText: email })
    await ours.getByRole('button', { name: 'Change the plan at the period’s end' }).click()
    await shown(visit)
      .getByText('scheduled a change of plan for the end of the period. Events sent to the owner: ')
      .getByText('subscription.plan_change_scheduled')
      .waitFor()
    await ours.getByRole('button', { name: 'Renew:' }).click()
    await shown(visit)
      .getByText('was paid. Events sent to the owner: ')
      .getByText('subscription.plan_changed')
      .waitFor()
    await ours.getByText(`Yearly of ${email}: active`).waitFor()
    await ours.getByRole('button', { name: 'Change the plan:' }).click()
    await shown(visit)
      .getByText('changed the plan at the processor. Events sent to the owner: subscription.plan_changed')
      .waitFor()
    await ours.getByText(`Monthly of ${email}: active`).waitFor()
  })

  test('can drop the webhooks of an action, which is found when the clock is moved', async () => {
    const email = await buyAtHome(visit, 'Monthly')
    const ours = page.getByRole('article').filter({ hasText: email })
    await ours.getByLabel('Webhooks').selectOption('are lost')
    await ours.getByRole('button', { name: 'End now' }).click()
    await shown(visit).getByText('No events were sent to the owner.').waitFor()
    await ours.getByText(': active').waitFor()
    await section(visit, 'Clock').getByRole('button', { name: '+1 month' }).click()
    await shown(visit).getByText('subscription.ended').waitFor()
    await ours.getByText(': canceled').waitFor()
  })

  test('filters events by type and user, and expands and collapses them', async () => {
    const email = await buyAtHome(visit, 'Yearly')
    const events = section(visit, 'Events')
    await events.locator('summary', { hasText: 'subscription.created' }).filter({ hasText: email }).waitFor()
    await events.getByLabel('User').selectOption(email)
    await events.getByLabel('Type').selectOption('checkout.completed')
    await events.getByRole('button', { name: 'Filter' }).click()
    await events.getByRole('heading', { name: /^Events: 1 of \d+$/ }).waitFor()
    await events.getByRole('button', { name: 'Open all' }).click()
    await events.getByText('"type": "checkout.completed"').waitFor()
    await events.getByRole('button', { name: 'Collapse all' }).click()
    await events.getByText('"type": "checkout.completed"').waitFor({ state: 'hidden' })
  })

  test('shows the timeline of a user, with the delivery state of each event', async () => {
    const email = await buyAtHome(visit, 'Monthly')
    await section(visit, 'Users').getByRole('link', { name: email }).click()
    const lines = page.getByRole('listitem')
    await lines.filter({ hasText: 'Checkout a checkout of Monthly was opened' }).waitFor()
    await lines.filter({ hasText: 'Checkout the checkout of Monthly was completed' }).waitFor()
    await lines.filter({ hasText: 'Payment a payment of $9.99 succeeded' }).waitFor()
    await lines.filter({ hasText: 'Balance standard tokens +100, balance 100' }).waitFor()
    const created = lines.filter({ hasText: 'Event subscription.created' })
    await created.getByText(`delivered at ${world.receiver.url}/webhooks: answered 200`).waitFor()
  })

  test('reports an invalid paywall file at once', async () => {
    await page.goto(home.url)
    visit.invalidFiles.push({ path: 'demo/paywall.json', errors: ['paywalls[0].name: too short'] })
    await page.getByRole('alert').getByText('paywalls[0].name: too short').waitFor()
    visit.invalidFiles.splice(0)
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  test('explains why an action is refused', async () => {
    const email = await buyAtHome(visit, 'Monthly')
    await page.getByLabel('Buy as').fill(email)
    await page.getByRole('button', { name: 'Buy Yearly' }).click()
    await shown(visit).getByText(`${email} already has an active purchase: enter another address`).waitFor()
    await page.getByRole('button', { name: `Refund: Monthly of ${email}` }).click()
    await shown(visit).getByText('payment.refunded').waitFor()
    await page.getByRole('button', { name: `Refund: Monthly of ${email}` }).click()
    await shown(visit).locator('.refused').waitFor()
  })
})
