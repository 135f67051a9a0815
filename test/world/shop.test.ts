import { readFileSync } from 'node:fs'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPaywallFile } from '../../cli/paywall-file/file.ts'
import { DEMO, demoWithPorts } from '../../dev/world/demo.ts'
import { fileEnvironment } from '../../dev/world/secrets.ts'
import { type Shop, startShop } from '../../dev/world/shop.ts'
import { openBrowser } from '../support/browser.ts'
import { newEmail } from '../support/checkout.ts'
import { reservePort } from '../support/ports.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

let shop: Shop
let browser: Browser

const world = useTestWorld()
beforeAll(async () => {
  const ports = {
    receiver: Number(new URL(world.receiver.url).port),
    shop: await reservePort(),
  }
  const read = await readPaywallFile(demoWithPorts(ports, readFileSync(DEMO, 'utf8')), fileEnvironment(world.secrets))
  if ('errors' in read) throw new Error(read.errors.join('\n'))
  await world.apply(read.file)
  const { file } = read
  const order = { file, paywall: file.paywalls[0]!, key: file.keys[0]?.secret ?? '' }
  shop = await startShop({ port: ports.shop, baseUrl: world.url, ...order })
  browser = await openBrowser()
})
afterAll(async () => {
  await Promise.all([browser?.close(), shop?.close()])
})

/** Opens the shop, and signs in as a new user. */
async function openSignedIn(): Promise<{ page: Page; email: string }> {
  const page = await browser.newPage()
  const email = newEmail()
  await page.goto(shop.url)
  await page.getByLabel('E-mail address').fill(email)
  await press(page, button(page, 'Sign in'))
  return { page, email }
}

const button = (page: Page, name: string) => page.getByRole('button', { name })

/** Presses a button and waits for the page that it leads to, since loading one page while another one loads is an error. */
async function press(page: Page, element: Locator): Promise<void> {
  const loaded = page.waitForEvent('load')
  await element.click()
  await loaded
}

/** Reloads the page until an element is visible, or not. */
const untilShown = (page: Page, element: Locator, isShown = true) =>
  until('the page to change', async () => {
    await page.goto(shop.url)
    return (await element.isVisible()) === isShown
  })

test('the shop sells a file of one’s own, without tokens and without a webhook endpoint for the shop', async () => {
  const { file, paywall, key } = world
  const own = await startShop({ port: await reservePort(), baseUrl: world.url, file, paywall, key })
  try {
    const headers = { cookie: `email=${encodeURIComponent(newEmail())}` }
    const text = await (await fetch(own.url, { headers })).text()
    for (const { label } of paywall.prices) expect(text).toContain(`>${label}, `)
    const price = paywall.prices[0]?.slug ?? ''
    const bought = await fetch(`${own.url}/buy`, {
      method: 'POST',
      headers: { ...headers, origin: own.url, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ price }).toString(),
      redirect: 'manual',
    })
    expect([bought.status, bought.headers.get('location')]).toEqual([303, expect.stringContaining(world.stripe.url)])
    const event = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    expect((await fetch(`${own.url}/webhooks`, event)).status).toBe(404)
  } finally {
    await own.close()
  }
})

describe('the demo’s shop', () => {
  test('sells, gives access, counts tokens, receives events and ends access', async () => {
    const { page, email } = await openSignedIn()
    expect((await page.request.get(`${shop.url}/export`)).status()).toBe(403)
    await press(page, button(page, 'Yearly, $89.00'))
    await press(page, page.locator('button[value=pay]'))
    await page.waitForURL(`${world.url}/p/*/thanks`)
    await page.goto(shop.url)
    await page.getByText('You have 8000 tokens.').waitFor()
    await press(page, button(page, 'Convert a file'))
    await page.getByText('You have 7995 tokens.').waitFor()

    await untilShown(page, page.getByText(`${email} joined`))
    await page.getByRole('link', { name: 'Export your projects' }).click()
    expect(await page.textContent('body')).toContain('project,version')
    await page.goBack()
    await press(page, button(page, 'Cancel'))
    await untilShown(page, button(page, 'Cancel'), false)
  })

  test("serves the picture of the paywall's page, which has it for previews of shared links from its own origin", async () => {
    const page = await (await world.fetch('/p/1001')).text()
    const [, shared = ''] = /<meta property="og:image" content="([^"]*)"/.exec(page) ?? []
    expect(shared).toContain(`${world.url}/p/1001/image/`)
    const picture = await world.fetch(shared)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(readFileSync('demo/picture.png'))
  })

  test("shows the API's refusals", async () => {
    const { page } = await openSignedIn()
    const refused = await page.request.post(`${shop.url}/buy`, {
      form: { price: 'weekly' },
      headers: { origin: shop.url },
    })
    expect(await refused.text()).toBe('The paywall has no price called weekly.')
  })
})
