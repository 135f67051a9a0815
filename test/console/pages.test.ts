import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { violationsInEachView } from '../support/accessibility.ts'
import { openBrowser } from '../support/browser.ts'
import { newEmail } from '../support/checkout.ts'
import { mailsTo, readConsoleCode } from '../support/console.ts'
import { untilAllDelivered } from '../support/owner-events.ts'
import { cancelAsUser, type Subscriber, subscribe } from '../support/subscriber.ts'
import { randomImage, sendForm, ticketForm, ticketId } from '../support/tickets.ts'
import { changeBalance } from '../support/token-calls.ts'
import { useTestWorld } from '../support/world.ts'

const support = { email: 'support@acme.example', role: 'support' }
const world = useTestWorld({ file: { team: [support] } })

let browser: Browser
let page: Page
let ann: Subscriber
let ticket: number

beforeAll(async () => {
  browser = await openBrowser()
  const { paywall, key } = world
  ann = await subscribe(world, { paywall, key, owner: 'one' } as never, 'monthly', `ann-${newEmail()}`)
  await changeBalance(world, { user_id: ann.id, type: 'premium', amount: 7 })
  await cancelAsUser(world, ann)
  const image = { ...randomImage(), name: 'screen.png' }
  ticket = ticketId(
    await sendForm(
      world,
      ticketForm({ subject: 'It does not load', content: 'I paid.\nI see <b>nothing</b>.' }, [image]),
      { token: ann.token },
    ),
  )
  await untilAllDelivered(world)
  page = await signedIn(world.file.owner.email)
})

afterAll(() => browser?.close())

async function signedIn(email: string): Promise<Page> {
  const opened = await (await browser.newContext()).newPage()
  const before = mailsTo(world, email)
  await opened.goto(world.consoleUrl)
  await opened.getByLabel('E-mail address').fill(email)
  await opened.getByRole('button', { name: 'Mail me a code' }).click()
  await opened.getByLabel('Code').fill(await readConsoleCode(world, email, before + 1))
  await opened.getByRole('button', { name: 'Sign in' }).click()
  await opened.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
  return opened
}

const PAGES: Record<string, () => string> = {
  overview: () => '/test/overview',
  'overview by price': () => '/test/overview?by=price&days=365',
  'overview of nothing': () => '/live/overview',
  users: () => '/test/users',
  'nobody found': () => '/test/users?search=nobody',
  user: () => `/test/users/${ann.id}`,
  events: () => '/test/events',
  webhooks: () => '/test/webhooks',
  tickets: () => '/test/tickets',
  ticket: () => `/test/tickets/${ticket}`,
  keys: () => '/keys',
  'audit log': () => '/audit-log',
  'no page': () => '/test/nothing',
  'sign-in': () => '/sign-in',
}

test.for(Object.entries(PAGES))('axe finds nothing on %s, light and dark, narrow and wide', async ([name, path]) => {
  const response = await page.goto(world.consoleUrl + path())
  expect(response?.status()).toBe(name === 'no page' ? 404 : 200)
  for (const fold of await page.locator('main summary').all()) await fold.click()
  await expectAccessible(name)
})

/** Axe finds nothing on the page that is shown. With SHOTS it is also saved as pictures. */
async function expectAccessible(name: string): Promise<void> {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true })
  expect(await violationsInEachView(page)).toEqual([])
  if (process.env.SHOTS) await page.setViewportSize({ width: 390, height: 800 })
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-narrow-dark.png`, fullPage: true })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 800 })
}

test('the secret of a webhook endpoint is rotated, and stays on the page until it is left', async () => {
  await world.database.query('update webhook_endpoints set is_secret_generated = true')
  await page.goto(`${world.consoleUrl}/test/webhooks`)
  await page.getByText('Rotate its secret …').click()
  await expectAccessible('rotation')
  await page.getByRole('textbox', { name: 'Reason' }).fill('It was in a log')
  await page.getByRole('button', { name: 'Rotate its secret' }).click()
  const secret = page.getByText(/^whsec_/)
  const shown = await secret.textContent()
  await expectAccessible('new secret')
  const refreshed = page.waitForResponse((response) => response.status() === 405)
  await page.bringToFront()
  await refreshed // the script's, which keeps an open page up to date
  expect(await secret.textContent()).toBe(shown)
})

test('an open page shows what has changed, unless somebody is writing on it', async () => {
  const path = `${world.consoleUrl}/test/tickets/${ticket}`
  const writing = await page.context().newPage()
  for (const opened of [page, writing]) {
    await opened.clock.install()
    await opened.goto(path)
  }
  await writing.getByLabel('Reply to').fill('We look into it')
  await writing.getByLabel('Reply to').blur()
  await world.database.query("update tickets set subject = 'It loads' where id = $1", [ticket])
  for (const opened of [writing, page]) await opened.clock.runFor(6_000)
  await page.getByRole('heading', { name: 'It loads' }).waitFor()
  expect(await writing.getByLabel('Reply to').inputValue()).toBe('We look into it')
})
