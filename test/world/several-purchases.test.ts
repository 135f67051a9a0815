import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Home, startHome } from '../../dev/world/home/home.ts'
import { openBrowser } from '../support/browser.ts'
import { buy, newEmail } from '../support/checkout.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld
let home: Home
let browser: Browser

beforeAll(async () => {
  world = await startTestWorld()
  const files = { current: () => [world.file], known: () => [world.file] }
  home = await startHome({ port: 0, world, files, shop: null, faults: () => [] })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await home.close()
  await world.close()
})

/** Subscriptions, whose webhooks have all arrived. Gives who has them. */
async function buyAsMany(count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, newEmail)
  for (const email of emails) await buy(world, { paywall: world.paywall, key: world.key, email })
  await world.stripe.drainWebhooks()
  return emails
}

test('what is chosen for the webhooks of one stays with it when the page changes', async () => {
  const [first = '', second = ''] = await buyAsMany(2)
  const page = await browser.newPage()
  await page.goto(home.url)
  const choiceOf = (email: string) => page.getByRole('article').filter({ hasText: email }).getByLabel('Its webhooks')
  await choiceOf(first).selectOption('come twice')
  await choiceOf(second).selectOption('get lost')
  const third = newEmail()
  await buy(world, { paywall: world.paywall, key: world.key, email: third })
  await page.getByRole('article').filter({ hasText: third }).waitFor()
  const choices = await Promise.all([first, second, third].map((email) => choiceOf(email).inputValue()))
  expect(choices).toEqual(['twice', 'lost', 'arrive'])
  await page.close()
})

test('acts at the same moment each have the fate that was chosen, and tell their own events', async () => {
  const [lost = '', arrives = '', twice = ''] = await buyAsMany(3)
  const idOf = async (email: string) => {
    const { rows } = await world.database.query<{ id: string }>(
      'select p.id from purchases p join users u on u.id = p.user_id where u.email = $1',
      [email],
    )
    return rows[0]?.id ?? ''
  }
  const end = async (email: string, webhooks: string) => {
    const form = { purchase: await idOf(email), act: 'end', webhooks }
    await fetch(`${home.url}/act`, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  }
  await Promise.all([end(arrives, 'arrive'), end(twice, 'twice'), end(lost, 'lost')])

  const page = await (await fetch(home.url)).text()
  const saidOf = (email: string) => new RegExp(`of ${email}: ([^<]*)</p>`).exec(page)?.[1]
  expect(saidOf(arrives)).toMatch(/processor\. The owner was told: subscription\.ended\.$/)
  expect(saidOf(twice)).toMatch(/came twice\. The owner was told: subscription\.ended\.$/)
  expect(saidOf(lost)).toMatch(/There was nothing to tell the owner\.$/)
})
