import { afterAll, beforeAll, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { createGrant, parseGranted } from '../support/grant-calls.ts'
import { type Pages, startPages } from './pages.ts'
import { buyAsVisitor } from './scene.ts'
import { signIn, visit } from './visitor.ts'

let pages: Pages

beforeAll(async () => {
  pages = await startPages()
})

afterAll(() => pages.close())

test('the account shows until when a grant gives access, in English and German, unless a purchase gives it for longer', async () => {
  const { world } = pages
  const email = newEmail()
  const visitor = await visit(pages, { path: '/account' })
  const { page, home } = visitor
  await signIn(visitor, email)
  const main = page.getByRole('main')
  expect(await main.textContent()).toContain('You have not bought anything yet.')

  const ends_at = new Date(Date.now() + 10 * 24 * 3600 * 1000).toISOString()
  parseGranted(await createGrant(world, { email, ends_at, reason: 'Secret reason' }))
  const day = (tag: string) =>
    new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(ends_at))
  await page.reload()
  expect(await main.textContent()).toContain(`You have access until ${day('en')}.`)
  expect(await main.textContent()).not.toContain('You have not bought anything yet.')
  expect(await page.content()).not.toContain('Secret reason')
  await page.goto(`${home}/account?locale=de`)
  expect(await main.textContent()).toContain(`Sie haben Zugang bis zum ${day('de')}.`)

  await page.goto(home)
  expect(await main.textContent()).toContain('You have access.')
  await buyAsVisitor(pages, visitor, 'Yearly')
  await page.goto(`${home}/account`)
  expect(await main.textContent()).not.toContain('You have access until')
})
