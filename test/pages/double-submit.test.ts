import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getPriceId, newEmail } from '../support/checkout.ts'
import { type Pages, startPages } from './pages.ts'
import { BUY, press, visit } from './visitor.ts'

let pages: Pages

beforeAll(async () => {
  pages = await startPages()
})

afterAll(() => pages.close())

/** Counts the rows of a table. */
const count = async (table: 'users' | 'checkouts') =>
  (await pages.world.database.query(`select from ${table}`)).rowCount ?? 0

/** Submits the form of the paywall page as a guest, and returns the URL of the checkout page and the refresh cookie. */
async function buy(key: string) {
  const response = await pages.world.fetch(`/p/${pages.world.paywall.id}`, {
    method: 'POST',
    body: new URLSearchParams({ key, price: getPriceId(pages.world.paywall, 'monthly') }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
  })
  expect(response.status).toBe(200)
  const [, refresh] = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  const [, checkoutUrl] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(await response.text()) ?? []
  return { checkoutUrl, refresh }
}

test('a form that a guest submits five times at once creates one user and one checkout', async () => {
  const [users, checkouts] = [await count('users'), await count('checkouts')]
  const key = randomUUID()
  const sent = await Promise.all(Array.from({ length: 5 }, () => buy(key)))
  expect(sent[0]?.checkoutUrl).toContain(pages.world.stripe.url)
  expect(new Set(sent.map(({ checkoutUrl }) => checkoutUrl)).size).toBe(1)
  expect(new Set(sent.map(({ refresh }) => refresh)).size).toBe(1)
  expect([await count('users'), await count('checkouts')]).toEqual([users + 1, checkouts + 1])
})

test('the forms of two guests open two checkouts', async () => {
  const [one, other] = [await buy(randomUUID()), await buy(randomUUID())]
  expect(other.checkoutUrl).not.toBe(one.checkoutUrl)
})

test('a submit after sign-out creates a new user, who can buy', async () => {
  const key = randomUUID()
  const { refresh, checkoutUrl } = await buy(key)
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
  expect(again.checkoutUrl).not.toBe(checkoutUrl)
})

test.each([true, false])('a double click buys once, with JavaScript: %s', async (javaScriptEnabled) => {
  const visitor = await visit(pages, { javaScriptEnabled })
  const { page, home } = visitor
  const [users, checkouts] = [await count('users'), await count('checkouts')]
  await page.getByRole('button', { name: BUY }).dblclick()
  await page.waitForURL(`${pages.world.stripe.url}/**`)
  await page.getByLabel('Email').fill(newEmail())
  await page.locator('[value=pay]').click()
  await page.waitForURL(`${home}/thanks*`)
  await press(visitor, 'Your account', 'link')
  expect(await page.getByRole('region', { name: 'Yearly' }).count()).toBe(1)
  expect([await count('users'), await count('checkouts')]).toEqual([users + 1, checkouts + 1])
})
