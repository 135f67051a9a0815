import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Paywall } from 'paywall-billing-sdk'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import document from '../../generated/openapi.json' with { type: 'json' }
import { EVENT_TYPES } from '../../lib/events/types.ts'
import { openBrowser } from '../support/browser.ts'
import { bundledModule } from '../support/bundled-sdk.ts'
import { newEmail, press } from '../support/checkout.ts'
import { typeErrors } from '../support/modules.ts'
import { untilAllDelivered } from '../support/owner-events.ts'
import { listSite, startOwnerSite } from '../support/owner-site.ts'
import { monthly } from '../support/paywall-file.ts'
import { load, quickstart } from '../support/quickstart.ts'
import { readMailedCode } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'paywall-readme-'))
/** Unique, because the Workers also serve other tests' worlds, and cache for some seconds which paywall has a domain. */
const DOMAIN = `pay-${randomUUID()}.localhost`

let server: {
  buy(email: string): Promise<Response>
  convert(email: string, job: string): Promise<Response>
  download(request: Request): Promise<Response>
  cancel(email: string, reason: string): Promise<void>
}

const settings = { tokenization_queries: [{ type: 'standard' }] }
const paywall = { id: '1001', settings, prices: [monthly({ features: ['export'] })] }
const world = useTestWorld({ file: { paywall: { ...paywall, domain: DOMAIN } } })
beforeAll(async () => {
  vi.stubEnv('PAYWALL_KEY', world.key)
  vi.stubEnv('PAYWALL_TEST', 'true')
  vi.stubEnv('PAYWALL_WEBHOOK_SECRET', world.file.webhooks[0]!.secret!)
  server = await load(folder, 'server', quickstart(world.url).find('new Paywall('))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

/** Buys with the server example. */
async function buyAsNewUser(): Promise<string> {
  const email = newEmail()
  const { status, headers } = await server.buy(email)
  expect(status).toBe(303)
  await press(headers.get('location')!, 'pay')
  await until('the purchase', async () => (await server.convert(email, `first of ${email}`)).status === 200)
  return email
}

test('the server example sells, checks access, debits tokens and cancels', async () => {
  expect((await server.convert(newEmail(), 'any')).status).toBe(403)
  const email = await buyAsNewUser()
  const texts = [await server.convert(email, 'second'), await server.convert(email, 'second')].map((each) =>
    each.text(),
  )
  expect(await Promise.all(texts)).toEqual(['90 tokens are left.', '90 tokens are left.'])
  await server.cancel(email, 'too expensive')
  await world.stripe.drainWebhooks()
  const { rows } = await world.database.query('select cancel_at_period_end from purchases')
  expect(rows).toEqual([{ cancel_at_period_end: true }])
})

test('the server example serves only whom the token says', async () => {
  const [free, paying] = [newEmail(), await buyAsNewUser()]
  const owner = new Paywall({ key: world.key, paywall: '1001', baseUrl: world.url })
  const statuses = await Promise.all(
    [free, paying].map(async (email) => {
      const { access_token: token } = await owner.signIn({ email })
      const request = new Request('https://acme.com/export', { headers: { authorization: `Bearer ${token}` } })
      return (await server.download(request)).status
    }),
  )
  expect(statuses).toEqual([403, 200])
  expect((await server.download(new Request('https://acme.com/export'))).status).toBe(401)
})

test('the events example handles every type, with what its example in the reference has', async () => {
  const block = quickstart('').find('const note')
  const { on } = await load<{ on: Record<string, (event: unknown) => void> }>(folder, 'events', block)
  expect(Object.keys(on)).toEqual([...EVENT_TYPES])
  const log = vi.spyOn(console, 'log').mockReturnValue()
  for (const type of EVENT_TYPES)
    on[type]?.(document.webhooks[type].post.requestBody.content['application/json'].example)
  const notes = log.mock.calls.map(([text]) => String(text))
  log.mockRestore()
  expect(notes).toHaveLength(EVENT_TYPES.length)
  expect(notes.filter((text) => text.includes('undefined') || text.includes('null'))).toEqual([])
})

test('the webhooks example receives new subscriptions', async () => {
  const { POST, isMember } = await load<{
    POST(request: Request): Promise<Response>
    isMember(userId: string): boolean
  }>(folder, 'webhooks', quickstart(world.url).find('export const POST'))
  const email = await buyAsNewUser()
  await world.stripe.drainWebhooks()
  await untilAllDelivered(world)
  const created = world.receiver.received.find(
    ({ body }) => body.includes(email) && JSON.parse(body).type === 'subscription.created',
  )!
  const request = new Request('https://acme.com/webhooks', { method: 'POST', ...created })
  expect((await POST(request)).status).toBe(204)
  expect(isMember(JSON.parse(created.body).data.user.id)).toBe(true)
})

test('the browser example buys, checks access and signs in', async () => {
  const { find } = quickstart(`http://${DOMAIN}:${new URL(world.url).port}`)
  const [html, code] = [find('<button id="buy">'), await bundledModule(find('createPaywall('))]
  const page = `<!doctype html>${html}<script type="module" src="/app.js"></script>`
  const site = await startOwnerSite(page, { '/app.js': code })
  await listSite(world, site.url)
  const browser: Browser = await openBrowser()
  try {
    const tab = await browser.newPage()
    await tab.goto(site.url)
    await tab.getByText('You are not signed in.').waitFor()
    await tab.getByRole('button', { name: 'Buy' }).click()
    const email = newEmail()
    await tab.getByLabel('Email').fill(email)
    await tab.locator('button[value=pay]').click()
    await tab.getByRole('button', { name: 'Export' }).waitFor()
    await tab.locator('input[name=email]').fill(email)
    await tab.getByRole('button', { name: 'Send me a code' }).click()
    await tab.locator('input[name=code]').fill(await readMailedCode(world, email))
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByText(email).waitFor()
  } finally {
    await browser.close()
    await site.close()
  }
})

test('the examples compile with the SDK’s types', async () => {
  const { find } = quickstart('')
  const modules = {
    'server.ts': 'new Paywall(',
    'browser.ts': 'createPaywall(',
    'webhooks.ts': 'export const POST',
    'events.ts': 'const note',
    'catching-up.ts': 'function catchUp',
    'offers.ts': 'readOffers(',
    'dialog.ts': 'createDialog(',
  }
  const sources = Object.entries(modules).map(([name, text]) => [name, find(text)])
  expect(await typeErrors(Object.fromEntries(sources))).toBe('')
})

test('every example is tested here', () => {
  expect(quickstart('').blocks).toHaveLength(8)
})
