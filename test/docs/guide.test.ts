import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { webhooks } from 'paywall-billing-sdk/webhooks'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { readPaywallFile } from '../../cli/paywall-file/file.ts'
import type { Received } from '../../dev/world/pages/received.ts'
import { EVENT_TYPES, type EventType } from '../../lib/events/types.ts'
import { bundledModule } from '../support/bundled-sdk.ts'
import { call } from '../support/call.ts'
import { buy, getPriceId, newEmail, payAndReturn } from '../support/checkout.ts'
import { getFolder, typeErrors } from '../support/modules.ts'
import { untilAllDelivered } from '../support/owner-events.ts'
import { listSite, startOwnerSite } from '../support/owner-site.ts'
import { readMailedCode } from '../support/sign-in.ts'
import { type Site, startSite } from '../support/site.ts'
import type { TestWorld } from '../support/world.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/guide.md'), 'utf8')
const blocks = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({
  language,
  code,
}))

const commands = blocks.flatMap(({ language, code }) => (language === 'sh' ? [code] : []))
/** By file name, which is in the first line of each, as a comment. */
const modules = Object.fromEntries(
  blocks.flatMap(({ language, code }) => (language === 'ts' ? [[/^\/\/ (\S+)/.exec(code)?.[1] ?? '', code]] : [])),
)

const paywallJson = blocks.find(({ language }) => language === 'json')?.code ?? ''

let site: Site
let world: TestWorld
let secret: string
let folder: string

beforeAll(async () => {
  const [paywall] = z
    .object({ paywalls: z.tuple([z.record(z.string(), z.unknown())]) })
    .parse(JSON.parse(paywallJson)).paywalls
  site = await startSite(paywall)
  world = site.world
  secret = world.file.webhooks[0]?.secret ?? ''
  folder = getFolder(modules)
  const settings = { KEY: world.key, ID: world.paywall.id, URL: world.url, WEBHOOK_SECRET: secret, TEST: 'true' }
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(`PAYWALL_${name}`, value)
})

afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
  await site.close()
})

const load = (name: string) => import(join(folder, name))

test('every code block is tested here', () => {
  expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['sh', 'ts', 'json']))
  expect(commands).toHaveLength(4)
  expect(blocks.filter(({ language }) => language === 'json')).toHaveLength(1)
})

test('the paywall file is valid, and sells what the modules sell', async () => {
  const read = await readPaywallFile(paywallJson, {})
  expect(read).not.toHaveProperty('errors')
  expect(world.paywall.prices.map(({ slug }) => slug)).toEqual(['monthly', 'team', 'credits-50'])
})

test('every event is listed once, in the order of the reference', () => {
  const listed = [...guide.matchAll(/^- `([a-z]+\.[a-z_]+)`: /gm)].map(([, type]) => type)
  expect(listed).toEqual([...EVENT_TYPES])
})

test('the modules compile with the types of the SDK', async () => {
  expect(await typeErrors(modules)).toBe('')
})

test('the commands sell a subscription', async () => {
  const [, bootstrap = '', startCheckout = '', user = ''] = commands
  expect(await shell(bootstrap)).toMatchObject({ settings: { id: world.paywall.id } })
  const { checkoutUrl } = await shell(startCheckout)
  await payAndReturn(world, checkoutUrl)
  expect(await shell(user)).toMatchObject({ paid: true, purchases: [{ price_slug: 'monthly' }] })
})

/** Runs a command with the test world's values of the guide's variables, and returns its output. */
async function shell(command: string) {
  const values: Record<string, string> = {
    API: world.url,
    PAYWALL: world.paywall.id,
    KEY: world.key,
    PRICE: getPriceId(world.paywall, 'monthly'),
  }
  const script = `${commands[0]}${command}`.replace(/^([A-Z]+)=.*$/gm, (_, name: string) => `${name}=${values[name]}`)
  const { stdout } = await promisify(execFile)('sh', ['-euc', script])
  return JSON.parse(stdout)
}

describe('the modules', () => {
  test('check access, and debit tokens once for a job', async () => {
    const email = newEmail()
    const [{ openCheckout }, { hasAccess, canExport }, { payForJob }, { paywall }] = await Promise.all(
      ['checkout.ts', 'access.ts', 'tokens.ts', 'paywall.ts'].map(load),
    )
    expect([await hasAccess(email), await canExport(email)]).toEqual([false, false])
    await payAndReturn(world, await openCheckout(email))
    expect([await hasAccess(email), await canExport(email)]).toEqual([true, true])
    expect([await payForJob(email, 'job 1'), await payForJob(email, 'job 1')]).toEqual([true, true])
    expect((await paywall.user({ email })).balance('standard')).toBe(95)
    await paywall.debit({ email }, 'standard', 95)
    expect(await payForJob(email, 'job 2')).toBe(false)
  })

  test('give access without a payment, once per ticket, and take it back', async () => {
    const email = newEmail()
    const [{ giveMonth, takeBack }, { hasAccess, canExport }, { paywall }] = await Promise.all(
      ['grants.ts', 'access.ts', 'paywall.ts'].map(load),
    )
    await paywall.signIn({ email })
    const grant = await giveMonth(email, 'T-7')
    expect(await giveMonth(email, 'T-7')).toBe(grant)
    expect([await hasAccess(email), await canExport(email)]).toEqual([true, true])
    await takeBack(grant)
    expect([await hasAccess(email), await canExport(email)]).toEqual([false, false])
  })

  test('sell credit packs, any number of them, which make nobody paid', async () => {
    const email = newEmail()
    const [{ buyPack, creditsLeft }, { hasAccess }] = await Promise.all(['packs.ts', 'access.ts'].map(load))
    const page = await buyPack(email, `${email} 1`)
    expect(await buyPack(email, `${email} 1`)).toBe(page)
    await payAndReturn(world, page)
    expect(await creditsLeft(email)).toBe(50)
    await payAndReturn(world, await buyPack(email, `${email} 2`))
    expect([await creditsLeft(email), await hasAccess(email)]).toEqual([100, false])
  })

  test('sell at an offer, or with a code, or show why not', async () => {
    const [{ buyAtOffer }, { paywall }] = await Promise.all(['offers.ts', 'paywall.ts'].map(load))
    const { offers, settings } = await paywall.bootstrap()
    expect(offers.map(({ id }: { id: string }) => id)).toEqual(['launch'])
    expect(settings.accepts_codes).toBe(true)
    for (const [order, amount] of [
      [{ offer: 'launch' }, 499],
      [{ code: 'friends-2027' }, 799],
    ]) {
      const { page } = await buyAtOffer(newEmail(), order)
      expect(world.stripe.checkoutSessions.find(({ url }) => url === page)).toMatchObject({ amount_total: amount })
    }
    expect(await buyAtOffer(newEmail(), { code: 'FRIEND' })).toEqual({ reason: 'unknown' })
  })

  test('change the plan for what the preview shows', async () => {
    const email = newEmail()
    const [{ previewUpgrade, upgrade }, { openCheckout }, { paywall }] = await Promise.all(
      ['upgrades.ts', 'checkout.ts', 'paywall.ts'].map(load),
    )
    await payAndReturn(world, await openCheckout(email))
    const { quote, due_now } = await previewUpgrade(email)
    expect(due_now.amount).toBeGreaterThan(1900)
    expect(await upgrade(email, crypto.randomUUID())).toBe('again')
    expect(await upgrade(email, quote)).toBeNull()
    await world.stripe.drainWebhooks()
    const user = await paywall.user({ email })
    expect(user.purchases).toMatchObject([{ price_slug: 'team' }])
    expect(user.can('api')).toBe(true)
    expect(world.stripe.events.findLast(({ type }) => type === 'invoice.paid')?.data.object).toMatchObject({
      amount_paid: due_now.amount,
    })
  })

  test('sell seats, and show what more of them cost', async () => {
    const email = newEmail()
    const [{ openTeamCheckout, previewSeats }, { paywall }] = await Promise.all(['seats.ts', 'paywall.ts'].map(load))
    await payAndReturn(world, await openTeamCheckout(email, 3))
    const { quote, ...shown } = await previewSeats(email, 5)
    expect(shown).toMatchObject({ from: { quantity: 3 }, to: { quantity: 5 }, next: { amount: 14995 } })
    await paywall.changePlan({ email, price: 'team', quantity: 5, quote })
    await world.stripe.drainWebhooks()
    const user = await paywall.user({ email, fresh: true })
    expect(user.purchases).toMatchObject([{ price_slug: 'team', unit_amount: 2999, quantity: 5 }])
    expect(user.balance('standard')).toBe(2500)
  })

  test('store how much of a payment went back', async () => {
    const email = newEmail()
    const [{ buyPack, creditsLeft }, { on, returned }] = await Promise.all(['packs.ts', 'refunds.ts'].map(load))
    await payAndReturn(world, await buyPack(email, email))
    const paid = world.stripe.events.findLast(({ type }) => type === 'payment_intent.succeeded')
    await world.stripe.refund(String(paid?.data.object.id))
    const { headers, body } = await receive(email, 'payment.refunded')
    const request = new Request('https://owner.example', { method: 'POST', headers, body })
    expect(await webhooks({ secret, test: true, on })(request)).toMatchObject({ status: 204 })
    expect([...returned]).toEqual([[JSON.parse(body).data.payment.id, 500]])
    expect(await creditsLeft(email)).toBe(0)
  })

  test('read each event once after they were down, and then only new ones', async () => {
    const [{ catchUp, handled }, { openCheckout }] = await Promise.all(['catch-up.ts', 'checkout.ts'].map(load))
    const stored = async () => {
      await world.stripe.drainWebhooks()
      const { rows } = await world.database.query<{ id: string }>('select id from events')
      return rows.map(({ id }) => id).toSorted()
    }
    await payAndReturn(world, await openCheckout(newEmail()))
    const before = await stored()
    await catchUp()
    expect([...handled.ids].toSorted()).toEqual(before)
    handled.ids.clear()
    await payAndReturn(world, await openCheckout(newEmail()))
    const later = (await stored()).filter((id) => !before.includes(id))
    await catchUp()
    expect([...handled.ids].toSorted()).toEqual(later)
  })

  test('serve only whom the browser’s token says', async () => {
    const [{ exportProjects }, { readToken }, { openCheckout }] = await Promise.all(
      ['who-calls.ts', 'token.ts', 'checkout.ts'].map(load),
    )
    const serve = (authorization?: string): Promise<Response> =>
      exportProjects(new Request('https://owner.example', { headers: authorization ? { authorization } : {} }))
    const [free, paying] = [newEmail(), newEmail()]
    await payAndReturn(world, await openCheckout(paying))
    const [freeToken, payingToken] = [
      await readToken({ id: free, email: free }),
      await readToken({ id: paying, email: paying }),
    ]
    expect((await serve()).status).toBe(401)
    expect((await serve(`Bearer ${freeToken.slice(1)}`)).status).toBe(401)
    expect((await serve(`Bearer ${freeToken}`)).status).toBe(403)
    expect((await serve(`Bearer ${payingToken}`)).status).toBe(200)
  })

  test('return a token for a user of the owner', async () => {
    const { readToken } = await load('token.ts')
    const token = await readToken({ id: 'user 7', email: newEmail() })
    const reply = await call(world, `/api/v1/paywall/${world.paywall.id}/user`, { token })
    expect(reply).toMatchObject({ status: 200, body: { user: { external_id: 'user 7' } } })
  })

  test('accept webhooks with a valid signature only', async () => {
    const [{ POST, subscribers }, { isAuthentic }] = await Promise.all(['webhooks.ts', 'verify.ts'].map(load))
    const email = newEmail()
    await buy(world, { paywall: world.paywall, key: world.key, email })
    const { headers, body } = await receive(email, 'subscription.created')
    const request = (text: string) => new Request('https://owner.example', { method: 'POST', headers, body: text })
    expect(await POST(request(body))).toMatchObject({ status: 204 })
    expect([...subscribers]).toEqual([JSON.parse(body).data.user.id])
    expect(await POST(request(`${body} `))).toMatchObject({ status: 400 })

    const late = new Headers({ ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 301) })
    expect(isAuthentic(new Headers(headers), body, secret)).toBe(true)
    expect(isAuthentic(new Headers(headers), `${body} `, secret)).toBe(false)
    expect(isAuthentic(late, body, secret)).toBe(false)
    expect(isAuthentic(new Headers(), body, secret)).toBe(false)
  })
})

describe('in a browser', () => {
  /** A page of the owner's site, with the elements that the scripts use. */
  const PAGE = `<!doctype html><title>Shop</title><button id="buy" disabled>Buy</button>
    <label>Email <input id="email"></label><label>Code <input id="code"></label><script type="module" src="/guide.js"></script>`

  let shop: Awaited<ReturnType<typeof startOwnerSite>>

  beforeAll(async () => {
    const source = modules['sign-in.ts']!.replace(/^import .*$/m, modules['browser.ts']!)
    const script = await bundledModule(source.replace('https://pay.example.com', site.origin))
    shop = await startOwnerSite(PAGE, { '/guide.js': script })
    await listSite(world, shop.url)
  })
  afterAll(() => shop.close())

  /** Opens the page in a separate browser context. */
  async function openPage(): Promise<Page> {
    const context = await site.browser.newContext()
    context.setDefaultTimeout(10_000)
    const page = await context.newPage()
    await page.goto(`${shop.url}/shop`)
    return page
  }

  test('a purchase can be used in another browser after signing in with a mailed code', async () => {
    const email = newEmail()
    const [laptop, phone] = [await openPage(), await openPage()]
    await laptop.getByRole('button', { name: 'Buy' }).click()
    await laptop.waitForURL(`${world.stripe.url}/**`)
    await laptop.getByLabel('Email').fill(email)
    await laptop.locator('button[value=pay]').click()
    await laptop.waitForURL(`${shop.url}/shop*`)
    await laptop.locator('#buy').waitFor({ state: 'hidden' })
    for (const [index, page] of [laptop, phone].entries()) {
      await page.getByLabel('Email').fill(email)
      // The mail may arrive before the response, without which the browser cannot use the code.
      const sent = page.waitForResponse(
        (response) => response.url().endsWith('/sign-in/code') && response.request().method() === 'POST',
      )
      await page.getByLabel('Email').press('Tab')
      await (await sent).finished()
      await page.getByLabel('Code').fill(await readMailedCode(world, email, index + 1))
      await page.getByLabel('Code').press('Tab')
      await page.locator('#buy').waitFor({ state: 'hidden' })
    }
  })
})

/** The webhook of a type about a user. */
async function receive(email: string, type: EventType): Promise<Received> {
  await world.stripe.drainWebhooks()
  await untilAllDelivered(world)
  return world.receiver.received.find(({ body }) => body.includes(email) && JSON.parse(body).type === type)!
}
