import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payOnPage } from '../support/anonymous.ts'
import { call, type Reply } from '../support/call.ts'
import { newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { testRows } from '../support/rows.ts'
import { parseSession, type Session } from '../support/sign-in.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { parseCancelled, subscribe } from '../support/subscriber.ts'
import { at, startTenants, type Tenants } from '../support/tenants.ts'
import { changeBalance, withdraw } from '../support/token-calls.ts'

let all: Tenants

beforeAll(async () => {
  all = await startTenants()
})
afterAll(() => all.close())

const newId = () => `shop/${randomUUID()}`
const exchange = (body: object) => call(all.world, at(all.ours, 'sign-in/exchange'), { key: all.ours.key, body })
const exchangeSession = async (body: object): Promise<Session> => parseSession(await exchange(body))
const read = (query: Record<string, string>) =>
  call(all.world, at(all.ours, `user?${new URLSearchParams(query)}`), { key: all.ours.key })
const checkout = (body: Record<string, unknown>) =>
  startCheckout(all.world, { paywall: all.ours.paywall, key: all.ours.key, body: { email: null, ...body } })
const portal = (body: object) => call(all.world, at(all.ours, 'get-customer-portal'), { key: all.ours.key, body })
const cancel = (body: object) =>
  call(all.world, '/api/paywall/cancel-subscription', {
    key: all.ours.key,
    body: { paywallId: all.ours.paywall.id, cancellationReason: 'none', subscriptionId: randomUUID(), ...body },
  })

describe('an external id that is new to the owner', () => {
  test('creates a user without an e-mail address, whom the owner can identify by it', async () => {
    const external_id = newId()
    const { user, token } = await exchangeSession({ external_id })
    expect(user).toMatchObject({ email: null, external_id })
    expect(decodeJwt(token)).toMatchObject({ sub: user.id, anonymous: false, email: null })
    expect((await exchangeSession({ external_id })).user).toEqual(user)
    expect(await call(all.world, at(all.ours, 'user'), { token })).toMatchObject({ status: 200, body: { user } })
  })

  test('can be used to buy, and events contain it', async () => {
    const { world } = all
    const externalId = newId()
    const { checkoutUrl, userId } = parseOpened(await checkout({ externalId }))
    await call(world, await payOnPage(checkoutUrl))
    await world.stripe.drainWebhooks()
    expect(await read({ external_id: externalId })).toMatchObject({ status: 200, body: { paid: true } })
    const users = (await ownerEvents(world, userId)).map(({ data }) => data.user)
    expect(users.length).toBeGreaterThan(1)
    for (const user of users) expect(user).toEqual({ id: userId, email: null, external_id: externalId })
    expect((await portal({ externalId })).status).toBe(200)
  })

  test('is assigned to the user with the e-mail address in the call, if that user has none', async () => {
    const [byExchange, byCheckout] = [await signIn(all.world), await signIn(all.world)]
    const [external_id, externalId] = [newId(), newId()]
    expect((await exchangeSession({ email: byExchange.email, external_id })).user.id).toBe(byExchange.id)
    expect(parseOpened(await checkout({ email: byCheckout.email, externalId })).userId).toBe(byCheckout.id)
    expect((await exchangeSession({ external_id })).user).toMatchObject({ id: byExchange.id, email: byExchange.email })
    expect((await exchangeSession({ external_id: externalId })).user.id).toBe(byCheckout.id)
  })

  test('and a new e-mail address is assigned to the user with the external id, if that user has none', async () => {
    const [external_id, email] = [newId(), newEmail()]
    const { user } = await exchangeSession({ external_id })
    expect((await exchangeSession({ external_id, email })).user).toEqual({ ...user, email })
    expect((await exchangeSession({ email })).user.id).toBe(user.id)
  })
})

describe('identifiers that contradict each other are rejected, and nothing changes:', () => {
  const mismatch = { status: 409, body: { error: 'external_id_mismatch' } }
  const unknown = { status: 404, body: { error: 'identity_not_found' } }

  async function expectRefused(identifiers: { email: string; externalId: string }, expected: object) {
    const before = await stateChecksum(all.world)
    expect(await exchange({ email: identifiers.email, external_id: identifiers.externalId })).toMatchObject(expected)
    expect(await checkout(identifiers)).toMatchObject(expected)
    const { email, externalId } = identifiers
    expect(await read({ email, external_id: externalId })).toMatchObject(unknown)
    expect(await cancel({ email, externalId })).toMatchObject(unknown)
    expect(await portal({ email, externalId })).toMatchObject({ status: 404 })
    expect(await stateChecksum(all.world)).toBe(before)
  }

  test('an e-mail address whose user has another external id, which never changes implicitly', async () => {
    const email = newEmail()
    await exchangeSession({ email, external_id: newId() })
    await expectRefused({ email, externalId: newId() }, mismatch)
  })

  test('an external id whose user has another e-mail address', async () => {
    const externalId = newId()
    await exchangeSession({ email: newEmail(), external_id: externalId })
    await expectRefused({ email: newEmail(), externalId }, unknown)
  })

  test('an e-mail address and an external id of two users', async () => {
    const [externalId, { email }] = [newId(), await signIn(all.world)]
    await exchangeSession({ external_id: externalId })
    await expectRefused({ email, externalId }, unknown)
  })

  test('a rejected checkout gives nobody an external id', async () => {
    const body = { email: all.payer.email, externalId: newId() }
    expect(await checkout(body)).toMatchObject({ status: 409, body: { hasActivePurchase: true } })
    expect(await read({ external_id: body.externalId })).toMatchObject(unknown)
  })
})

describe('wherever an owner can identify a user by e-mail address, the external id works, too', () => {
  test('and identifies the same user', async () => {
    const external_id = newId()
    const subscriber = await subscribe(all.world, all.ours)
    await exchangeSession({ email: subscriber.email, external_id })
    const { id, email } = subscriber
    expect((await read({ external_id })).body).toEqual((await read({ user_id: id, email, external_id })).body)
    expect(await changeBalance(all.world, { external_id })).toMatchObject({ status: 200, body: { user_id: id } })
    expect(await withdraw(all.world, { external_id, user_id: undefined })).toMatchObject({ status: 200 })
    expect(await withdraw(all.world, { external_id, user_id: id })).toMatchObject({ status: 200 })
    expect((await portal({ externalId: external_id })).status).toBe(200)
    parseCancelled(await cancel({ externalId: external_id, subscriptionId: subscriber.purchaseId }))
  })

  test('but not in a user’s own call', async () => {
    const externalId = newId()
    const { user } = await exchangeSession({ external_id: externalId })
    const reply = await startCheckout(all.world, {
      paywall: all.ours.paywall,
      token: all.member.token,
      body: { externalId },
    })
    expect(parseOpened(reply).userId).toBe(all.member.id)
    expect(all.member.id).not.toBe(user.id)
  })

  const nobody = newId()
  const long = 'x'.repeat(256)
  testRows([
    ['user: unknown', () => read({ external_id: nobody }), 404, 'identity_not_found'],
    ['balances: unknown', () => changeBalance(all.world, { external_id: nobody }), 404, 'identity_not_found'],
    [
      'withdraw-tokens: unknown',
      () => withdraw(all.world, { external_id: nobody }),
      404,
      'No balance found for this user and paywall',
    ],
    ['portal: unknown', () => portal({ externalId: nobody }), 404, 'identity_not_on_paywall'],
    ['cancel: unknown', () => cancel({ externalId: nobody }), 404, 'identity_not_on_paywall'],
    ['user: too long', () => read({ external_id: long }), 400, 'Invalid external_id'],
    ['balances: too long', () => changeBalance(all.world, { external_id: long }), 400, 'identity_required'],
    ['withdraw-tokens: too long', () => withdraw(all.world, { external_id: long }), 400, 'Invalid external_id'],
    ['portal: too long', () => portal({ externalId: long }), 400, 'Invalid externalId'],
    ['cancel: too long', () => cancel({ externalId: long }), 400, 'identity_required'],
    ['start-checkout: too long', () => checkout({ externalId: long }), 400, 'Invalid externalId'],
    ['exchange: too long', () => exchange({ external_id: long }), 400, 'Invalid external_id'],
    ['start-checkout: not a string', () => checkout({ externalId: 7 }), 400, 'Invalid externalId'],
    ['exchange: neither', () => exchange({ external_id: '' }), 400, 'Email is required'],
    ['start-checkout: neither', () => checkout({ externalId: '' }), 400, 'Missing required parameters: email, priceId'],
    ['portal: neither', () => portal({ externalId: null }), 400, 'Email is required'],
    [
      'withdraw-tokens: neither',
      () => withdraw(all.world, { external_id: '' }),
      400,
      'Missing required parameters: user_id',
    ],
  ])
})

describe('concurrent calls', () => {
  const statuses = (replies: Reply[]) => replies.map(({ status }) => status).toSorted()

  test('with one new external id create one user', async () => {
    const external_id = newId()
    const calls = Array.from({ length: 12 }, (_, index) =>
      index % 2 ? exchange({ external_id }) : checkout({ externalId: external_id }),
    )
    const replies = await Promise.all(calls)
    expect(new Set(statuses(replies))).toEqual(new Set([200]))
    const { rows } = await all.world.database.query('select from users where external_id = $1', [external_id])
    expect(rows).toHaveLength(1)
  })

  test('that assign one external id to several users succeed for one user, and several ids to one user for one id', async () => {
    for (let round = 0; round < 5; round++) {
      const users = await Promise.all([1, 2, 3, 4].map(() => signIn(all.world)))
      const externalId = newId()
      const one = await Promise.all(
        users.map(({ email }, index) =>
          index % 2 ? exchange({ email, external_id: externalId }) : checkout({ email, externalId }),
        ),
      )
      expect(statuses(one)).toEqual([200, 404, 404, 404])
      const { email } = await signIn(all.world)
      const several = await Promise.all(users.map(() => exchange({ email, external_id: newId() })))
      expect(statuses(several)).toEqual([200, 409, 409, 409])
    }
  })
})
