import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Filler } from '../../bench/fill/insert.ts'
import { filledEmail, filledId, fillUsers } from '../../bench/fill/users.ts'
import type { Home } from '../../dev/world/home/home.ts'
import { PAGE_SIZE } from '../../dev/world/home/lists.ts'
import { buy, getPriceId, newEmail } from '../support/checkout.ts'
import { type HomeVisit, section, visitHome } from '../support/home.ts'
import type { TestWorld } from '../support/world.ts'

// Home of a paywall with thousands of users, one of whom has thousands of ledger rows.

const USERS = 5_000
/** The user with `DEBITS` debits. */
const BUSY = 7
const DEBITS = 3_000
/** Ten times what feels instant, because the machine may be busy. */
const MAX_LOAD_MS = 1_000

let visit: HomeVisit
let world: TestWorld
let home: Home
let page: Page
/** The e-mail address of the newest user. */
let latest: string

beforeAll(async () => {
  visit = await visitHome()
  ;({ world, home, page } = visit)
  const { paywall, key } = world
  await using filler = await Filler.open(world.databaseUrl)
  await fillUsers(filler, { from: 1, to: USERS }, { paywallId: paywall.id, priceId: getPriceId(paywall, 'monthly') })
  await filler.insert(
    'ledger',
    { from: 1, to: DEBITS },
    {
      paywall_id: `'${paywall.id}'`,
      user_id: filledId(`${BUSY}`),
      type: `'standard'`,
      reason: `'debit'`,
      count: '0',
      delta: '-1',
      count_after: `${DEBITS} - n`,
    },
  )
  latest = newEmail()
  await buy(world, { paywall, key, email: latest })
  await world.stripe.drainWebhooks()
})
afterAll(() => visit.close())

const users = () => section(visit, 'Users')
const purchases = () => section(visit, 'Subscriptions and purchases')

/** The shortest of three response times of a page. */
async function measureLoadMs(path: string): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 3; round++) {
    const before = performance.now()
    await (await fetch(home.url + path)).text()
    times.push(performance.now() - before)
  }
  return Math.min(...times)
}

test('loads fast, whatever is searched', async () => {
  const { rows } = await world.database.query<{ id: string }>(`select ${filledId(`${BUSY}`)} as id`)
  const timeline = `/user?paywall=${world.paywall.id}&id=${rows[0]?.id}`
  for (const path of ['/', '/?users=filled&purchases=filled&users-page=99', timeline]) {
    expect(await measureLoadMs(path), path).toBeLessThan(MAX_LOAD_MS)
  }
})

test('every user and every purchase is on a page of its list', async () => {
  await page.goto(home.url)
  for (const list of [users, purchases]) {
    await list()
      .getByRole('heading', { name: `: ${(USERS + 1).toLocaleString('en')}` })
      .waitFor()
    await list().getByRole('link', { name: latest }).waitFor()
    await list().getByRole('link', { name: 'Older' }).click()
    await list().getByText('Page 2', { exact: true }).waitFor()
    expect(await list().getByRole('link', { name: latest }).count()).toBe(0)
  }
  await users().getByText('Page 2', { exact: true }).waitFor()
  await users().getByRole('link', { name: 'Newer' }).click()
  await users().getByRole('link', { name: latest }).waitFor()
  await purchases().getByText('Page 2', { exact: true }).waitFor()

  for (const list of ['users', 'purchases']) {
    const last = await (
      await fetch(`${home.url}/?${list}-page=${USERS}&${list === 'users' ? 'purchases' : 'users'}=nobody`)
    ).text()
    const shown = new Set(last.match(/filled-\d+@bench\.example/g))
    expect([list, shown.size]).toEqual([list, (USERS + 1) % PAGE_SIZE])
  }
})

test('a search for a part of an e-mail address finds users and subscriptions, with their timeline and buttons', async () => {
  await page.goto(home.url)
  await purchases().getByLabel('E-mail or id').fill(latest.slice(0, 13).toUpperCase())
  await purchases().getByRole('button', { name: 'Find' }).click()
  await purchases().getByRole('heading', { name: 'Subscriptions and purchases: 1' }).waitFor()
  await users().getByLabel('E-mail or id').fill(filledEmail(BUSY))
  await users().getByRole('button', { name: 'Find' }).click()
  await users().getByRole('heading', { name: 'Users: 1' }).waitFor()

  // The search stays when a button is pressed, which replaces the page.
  await purchases()
    .getByRole('button', { name: `Cancel: Monthly of ${latest}` })
    .click()
  await purchases()
    .getByRole('button', { name: `Undo the cancellation: Monthly of ${latest}` })
    .waitFor()
  await users().getByRole('heading', { name: 'Users: 1' }).waitFor()
  expect(await purchases().getByRole('article').count()).toBe(1)

  await users()
    .getByRole('link', { name: filledEmail(BUSY) })
    .click()
  await page.getByText('standard tokens -1, balance 0').waitFor()
  await page.getByRole('link', { name: 'Older' }).click()
  await page.getByText('Page 2', { exact: true }).waitFor()
  await page.getByText('standard tokens -1, balance 30').waitFor()
})

test('says so if a search has no matches', async () => {
  await page.goto(`${home.url}/?users=nobody@example.com&purchases=nobody@example.com`)
  for (const list of [users, purchases])
    await list()
      .getByText(/^No (users|purchases) match\.$/)
      .waitFor()
})
