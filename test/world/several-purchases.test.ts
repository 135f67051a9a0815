import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Home } from '../../dev/world/home/home.ts'
import { buy, newEmail } from '../support/checkout.ts'
import { type HomeVisit, visitHome } from '../support/home.ts'
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

/** Buys this many subscriptions, and waits for their webhooks. Returns the e-mail addresses. */
async function buySeveral(count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, newEmail)
  for (const email of emails) await buy(world, { paywall: world.paywall, key: world.key, email })
  await world.stripe.drainWebhooks()
  return emails
}

test('the choice for the webhooks of a purchase stays when the page changes', async () => {
  const [first = '', second = ''] = await buySeveral(2)
  await page.goto(home.url)
  const getChoice = (email: string) => page.getByRole('article').filter({ hasText: email }).getByLabel('Webhooks')
  await getChoice(first).selectOption('arrive twice')
  await getChoice(second).selectOption('are lost')
  const third = newEmail()
  await buy(world, { paywall: world.paywall, key: world.key, email: third })
  await page.getByRole('article').filter({ hasText: third }).waitFor()
  const choices = await Promise.all([first, second, third].map((email) => getChoice(email).inputValue()))
  expect(choices).toEqual(['twice', 'lost', 'arrive'])
})

test('concurrent actions each use their own choice for webhooks, and report their own events', async () => {
  const [lost = '', arrives = '', twice = ''] = await buySeveral(3)
  const getId = async (email: string) => {
    const { rows } = await world.database.query<{ id: string }>(
      'select p.id from purchases p join users u on u.id = p.user_id where u.email = $1',
      [email],
    )
    return rows[0]?.id ?? ''
  }
  const end = async (email: string, webhooks: string) => {
    const form = { purchase: await getId(email), act: 'end', webhooks }
    await fetch(`${home.url}/act`, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  }
  await Promise.all([end(arrives, 'arrive'), end(twice, 'twice'), end(lost, 'lost')])

  const front = await (await fetch(home.url)).text()
  const findResult = (email: string) => new RegExp(`of ${email}: ([^<]*)</p>`).exec(front)?.[1]
  expect(findResult(arrives)).toMatch(/processor\. Events sent to the owner: subscription\.ended\.$/)
  expect(findResult(twice)).toMatch(/arrived twice\. Events sent to the owner: subscription\.ended\.$/)
  expect(findResult(lost)).toMatch(/No events were sent to the owner\.$/)
})
