import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getPriceId, newEmail } from '../support/checkout.ts'
import { type Pages, startPages } from './pages.ts'
import { press, visit } from './visitor.ts'

let pages: Pages

beforeAll(async () => {
  pages = await startPages()
})

afterAll(() => pages.close())

/** How many rows a table has. */
const count = async (table: 'users' | 'checkouts') =>
  (await pages.world.database.query(`select from ${table}`)).rowCount ?? 0

/** Submits the form of the paywall page as a guest, and returns the page that it leads to and the session's cookies. */
async function buy(key: string) {
  const response = await pages.world.fetch(`/p/${pages.world.paywall.id}`, {
    method: 'POST',
    body: new URLSearchParams({ key, price: getPriceId(pages.world.paywall, 'monthly') }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
  })
  expect(response.status).toBe(200)
  const [, refresh] = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  const [, leadsTo] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(await response.text()) ?? []
  return { leadsTo, refresh }
}

test('a form that a guest sends five times at once makes one user and opens one page', async () => {
  const [users, checkouts] = [await count('users'), await count('checkouts')]
  const key = randomUUID()
  const sent = await Promise.all(Array.from({ length: 5 }, () => buy(key)))
  expect(sent[0]?.leadsTo).toContain(pages.world.stripe.url)
  expect(new Set(sent.map(({ leadsTo }) => leadsTo)).size).toBe(1)
  expect(new Set(sent.map(({ refresh }) => refresh)).size).toBe(1)
  expect([await count('users'), await count('checkouts')]).toEqual([users + 1, checkouts + 1])
})

test('two forms of two guests are two', async () => {
  const [one, other] = [await buy(randomUUID()), await buy(randomUUID())]
  expect(other.leadsTo).not.toBe(one.leadsTo)
})

test('a submit after sign-out creates a new user, who can buy', async () => {
  const key = randomUUID()
  const { refresh, leadsTo } = await buy(key)
  await pages.world.fetch(`/p/${pages.world.paywall.id}/account`, {
    method: 'POST',
    body: 'action=sign-out',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      cookie: refresh ?? '',
    },
  })
  const again = await buy(key)
  expect(again.refresh).not.toBe(refresh)
  expect(again.leadsTo).not.toBe(leadsTo)
})

test.each([true, false])(
  'a double click buys once, and the buyer has it, with scripts: %s',
  async (javaScriptEnabled) => {
    const visitor = await visit(pages, { javaScriptEnabled })
    const { page, home } = visitor
    const [users, checkouts] = [await count('users'), await count('checkouts')]
    await page.getByRole('button', { name: 'Continue' }).dblclick()
    await page.waitForURL(`${pages.world.stripe.url}/**`)
    await page.getByLabel('Email').fill(newEmail())
    await page.locator('[value=pay]').click()
    await page.waitForURL(`${home}/thanks*`)
    await press(visitor, 'Your account', 'link')
    expect(await page.getByRole('region', { name: 'Yearly' }).count()).toBe(1)
    expect([await count('users'), await count('checkouts')]).toEqual([users + 1, checkouts + 1])
  },
)
