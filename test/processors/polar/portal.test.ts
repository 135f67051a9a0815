import { expect, test } from 'vitest'
import { ACME } from './emulator/fixture.ts'
import { ADA, BOB, lifetime, openShop } from './shop.ts'

const HOME = 'https://shop.example/account'

test('opens the portal of the customer that bought', async () => {
  const shop = await openShop()
  const { purchase } = await shop.buy()
  const url = await shop.adapter.openPortal?.(purchase.customer ?? '', HOME)
  expect(await (await fetch(url ?? '')).text()).toContain(HOME)
  expect(shop.sent.at(-1)?.body).toEqual({ customer_id: purchase.customer, return_url: HOME })
})

test('reports that the token lacks the scope', async () => {
  const shop = await openShop()
  const { purchase } = await shop.buy()
  await shop.emulator.withholdScopes(ACME.paywallId, ['customer_sessions:write'])
  await expect(shop.adapter.openPortal?.(purchase.customer ?? '', HOME)).rejects.toMatchObject({
    kind: 'misconfigured',
    answered: true,
    message: 'polar: insufficient_scope (403)',
  })
})

// Polar has one customer for each e-mail address of an organisation. Here a user belongs to an owner, so one address may belong to
// two users: of two owners who sell through the same organisation, or of somebody who enters another person's address.

test('a second user with the same address gets the purchase, but not the portal of the first', async () => {
  const shop = await openShop()
  const { purchase: first } = await shop.buy()
  const { purchase: second } = await shop.buy({ userId: BOB, paywallId: '2001' })
  expect(second).toMatchObject({ status: 'active', customer: null, buyerEmail: 'ada@buyers.dev' })
  expect((await shop.readSnapshot({ kind: 'subscription', id: second.processorId }))?.found?.paywallId).toBe('2001')
  expect(first.customer).not.toBeNull()
})

test("somebody who enters another person's address does not get that person's portal", async () => {
  const shop = await openShop()
  await shop.buy()
  const { purchase } = await shop.buy({ ...lifetime, userId: BOB, email: null }, { email: 'ada@buyers.dev' })
  expect(purchase.customer).toBeNull()
})

test('the first user of an address gets no portal once a second user has bought with it', async () => {
  const shop = await openShop()
  const { purchase: early } = await shop.buy({ userId: BOB, email: null }, { email: 'ada@buyers.dev' })
  expect(await shop.adapter.openPortal?.(early.customer ?? '', HOME)).toContain('/portal/')
  await shop.buy({ userId: ADA })
  await expect(shop.adapter.openPortal?.(early.customer ?? '', HOME)).rejects.toMatchObject({
    kind: 'rejected',
    answered: true,
    message: 'polar: the customer is shared by several users',
  })
})

test('sales of the owner to the customer elsewhere do not prevent the portal', async () => {
  const shop = await openShop()
  const { purchase } = await shop.buy()
  const theirs = await shop.polar.checkouts.create({
    products: [lifetime.processorPrice],
    customer_id: purchase.customer,
  })
  await fetch(theirs.url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' })
  expect(await shop.adapter.openPortal?.(purchase.customer ?? '', HOME)).toContain('/portal/')
})
