import { beforeAll, describe, expect, test } from 'vitest'
import { formatDate } from '../../lib/text/formats.ts'
import {
  advancePastPeriodEnd,
  type Buyer,
  buy,
  causeAtProcessor,
  getProcessorId,
  open,
  readPurchase,
} from '../conformance/buyer.ts'
import { paywallAt, type Shop, shopAt } from '../conformance/shop.ts'
import { call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { type ConsoleVisitor, signInToConsole } from '../support/console.ts'
import { paywall } from '../support/paywall.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { parseSession, signInAnonymously } from '../support/sign-in.ts'
import { randomImage, sendForm, ticketForm, ticketId } from '../support/tickets.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
let shop: Shop
let owner: string
let admin: ConsoleVisitor

beforeAll(async () => {
  const file = await paywallFile({ webhooks: [], paywalls: [paywallAt('stripe')] })
  await world.apply(file)
  shop = shopAt(world, file.paywalls[0]!, file.paywalls[0]!, file.keys[0]!.secret!)
  owner = file.owner.email
  admin = await signInToConsole(world, owner)
})

/** The sentence about a user's access on its page. */
async function accessOf({ userId }: Pick<Buyer, 'userId'>): Promise<string> {
  const { html } = await admin.get(`/test/users/${userId}`)
  return /<p class="access">([^<]*)</.exec(html)?.[1]?.replaceAll('&#39;', "'") ?? html
}

/** A user of the shop, by its owner's own sign-in. */
async function exchange(body: object) {
  const path = `/api/v1/paywall/${shop.paywall.id}/sign-in/exchange`
  return parseSession(await call(world, path, { key: shop.key, body })).user
}

const label = (slug: string) => `“${shop.paywall.prices.find((price) => price.slug === slug)!.label}”`

describe('a user’s page says why the user has access or not', () => {
  test('nothing was bought, or not paid for yet', async () => {
    expect(await accessOf(await open(shop))).toBe('No access: nothing was bought.')
  })

  test('a running subscription, and a trial', async () => {
    const buyer = await buy(shop)
    const { access_until: until } = (await readPurchase(buyer))!
    expect(await accessOf(buyer)).toBe(`Access: ${label('monthly')} is active until ${formatDate(until!)}.`)
    expect(await accessOf(await buy(shop, 'yearly'))).toMatch(`Access: ${label('yearly')} is on trial until `)
  })

  test('a cancelled subscription, before its end and after it', async () => {
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, shop.account.cancel)
    const { current_period_end: end } = (await readPurchase(buyer))!
    expect(await accessOf(buyer)).toBe(
      `Access: ${label('monthly')} is active, and was cancelled: access ends on ${formatDate(end!)}.`,
    )
    await advancePastPeriodEnd(buyer)
    expect(await accessOf(buyer)).toMatch(/^No access: “.*” ended on .*: it was cancelled on .*\.$/)
  })

  test('a failed payment', async () => {
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, shop.account.failCharge)
    expect(await accessOf(buyer)).toMatch(
      /^Access: the last payment of “.*” failed on .*; access continues until .*, in case it is paid\.$/,
    )
  })

  test('a one-time purchase, and its refund', async () => {
    const buyer = await buy(shop, 'lifetime')
    expect(await accessOf(buyer)).toBe(`Access: ${label('lifetime')} was bought and has no end.`)
    await causeAtProcessor(buyer, shop.account.refund)
    expect(await accessOf(buyer)).toMatch(/^No access: “.*” was refunded on .*, as stripe reports\.$/)
  })

  test('access that the owner gave, and took back', async () => {
    const { id: userId } = await exchange({ email: newEmail() })
    const path = `/api/v1/paywall/${shop.paywall.id}/grants`
    const given = await call(world, path, { key: shop.key, body: { user_id: userId, days: 30, reason: 'A test' } })
    const { grant } = given.body as { grant: { id: string; ends_at: string } }
    expect(await accessOf({ userId })).toBe(`Access: you gave it until ${formatDate(grant.ends_at)}.`)
    expect((await admin.get(`/test/users?search=${userId}`)).html).toContain('<span class="state delivered">yes</span>')
    await call(world, `${path}/${grant.id}/end`, { key: shop.key, body: {} })
    expect(await accessOf({ userId })).toMatch(/^No access: what you gave ended on .*\.$/)
    expect((await admin.get(`/test/users?search=${userId}`)).html).toContain('<span class="state">no</span>')
  })

  test('a purchase that the owner ended', async () => {
    const buyer = await buy(shop)
    const { id } = (await readPurchase(buyer))!
    expect(await paywall(world, ['purchases', 'end', id])).toMatchObject({ code: 0 })
    expect(await accessOf(buyer)).toMatch(/^No access: you ended “.*” on .*\.$/)
  })
})

test('a user is found by each of its names and ids, and nobody by another', async () => {
  const email = newEmail()
  const external = `ext-${email}`
  const user = await exchange({ email, external_id: external, name: 'Ann Bee' })
  const buyer = await buy(shop, 'monthly', { email })
  const { id } = (await readPurchase(buyer))!
  const names = [email, email.toUpperCase(), external, user.id, id, await getProcessorId(buyer), ` ${email} `]
  for (const name of names) {
    const found = await admin.get(`/test/users?search=${encodeURIComponent(name)}`)
    expect([name, found.html.match(/href="\/test\/users\/[^"]*"/g)]).toEqual([name, [`href="/test/users/${user.id}"`]])
    expect(found.text).toContain('Ann Bee')
  }
  expect((await admin.get('/test/users?search=ann')).text).toContain('Nobody was found for “ann”.')
})

test('the id of a merged user shows the user that has everything', async () => {
  const place = { paywallId: shop.paywall.id }
  const anonymous = await signInAnonymously(world, place)
  const user = await exchange({ email: newEmail() })
  expect(await paywall(world, ['users', 'merge', anonymous.user.id, user.id, '--owner', owner])).toMatchObject({
    code: 0,
  })
  const page = await admin.get(`/test/users/${anonymous.user.id}`)
  expect(page.text).toContain(user.email)
  expect(page.text).toContain(anonymous.user.id)
})

test('the list goes on to older users', async () => {
  const file = await paywallFile()
  await world.apply(file)
  await world.database.query(
    `insert into users (owner_id, is_test, email, created_at)
     select id, true, 'user-' || n || '@example.com', now() - make_interval(hours => n) from owners, generate_series(1, 120) n where email = $1`,
    [file.owner.email],
  )
  const visitor = await signInToConsole(world, file.owner.email)
  const seen: string[] = []
  let path: string | undefined = '/test/users'
  for (let pages = 0; path; pages++) {
    expect(pages).toBeLessThan(4)
    const { html } = await visitor.get(path)
    seen.push(...[...html.matchAll(/>(user-\d+@example\.com)</g)].map(([, email]) => email!))
    const older: string | undefined = /href="\?(before=[^"]*)">Older/.exec(html)?.[1]
    path = older && `/test/users?${older}`
  }
  expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => `user-${index + 1}@example.com`))
})

test('what a stranger writes is shown as text, and its image as it is', async () => {
  const image = { ...randomImage(), name: '"><script>alert(1)</script>.png' }
  const text = { subject: '<img src=x onerror=alert(1)>', content: '<b>Help</b>\nme', customer_email: newEmail() }
  const id = ticketId(await sendForm(world, ticketForm(text, [image])))
  const visitor = await signInToConsole(world, world.file.owner.email)
  const page = await visitor.get(`/test/tickets/${id}`)
  expect(page.html).not.toMatch(/<script>alert|<img src=x|<b>Help/)
  const src = /<img src="([^"]*)"/.exec(page.html)![1]!
  const shown = await world.fetch(world.consoleUrl + src, { headers: { cookie: visitor.cookie } })
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(image.bytes)
  expect(Object.fromEntries(shown.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  })
  const foreign = await world.fetch(world.consoleUrl + src, { headers: { cookie: admin.cookie } })
  expect(foreign.status).toBe(404)
})
