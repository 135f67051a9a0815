import { randomUUID } from 'node:crypto'
import { Paywall } from 'paywall-billing-sdk'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { paywall as command } from '../support/paywall.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
let paywall: Paywall
/** How many requests the SDK has sent. */
let calls = 0

beforeEach(() => {
  calls = 0
  const counting: typeof fetch = (...request) => {
    calls += 1
    return fetch(...request)
  }
  paywall = new Paywall({ key: world.key, paywall: world.paywall.id, baseUrl: world.url, fetch: counting })
})
afterEach(() => vi.useRealTimers())

/** Lets time pass for the SDK only. */
function pass(seconds: number): void {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: now + seconds * 1000 })
}

test('a server learns who calls from the access token or the whole header', async () => {
  const id = randomUUID()
  const { access_token: token } = await paywall.signIn({ email: newEmail(), external_id: id })
  for (const sent of [token, `Bearer ${token}`]) {
    const user = await paywall.user({ token: sent })
    expect(user?.user.external_id).toBe(id)
    expect([user?.paid, user?.can('export')]).toEqual([false, false])
  }
})

test('nobody calls without a token, or with one that the service did not sign for this owner', async () => {
  const { token } = await signInAnonymously(world)
  const forged = `${token.slice(0, -10)}AAAAAAAAAA`
  expect(await paywall.user({ token: forged })).toBeNull()
  const before = calls
  for (const given of [undefined, null, '', 'x', 'Bearer', 'Basic YTpi', world.key, `${token}\n`, 'é.é.é']) {
    expect(await paywall.user({ token: given }), String(given)).toBeNull()
  }
  expect(calls, 'what is no token is not sent').toBe(before)
})

test('a verified token is remembered for ten seconds, or read again with `fresh`', async () => {
  const { token, user } = await signInAnonymously(world)
  const read = async (options?: { fresh?: boolean; clientIp?: string }) =>
    (await paywall.user({ token }, options))?.user.id
  expect([await read(), await read()]).toEqual([user.id, user.id])
  expect(calls).toBe(1)
  await read({ fresh: true })
  expect(calls).toBe(2)
  await read({ clientIp: '10.0.0.1' })
  expect(calls, 'the country is another').toBe(3)
  pass(9)
  await read()
  expect(calls).toBe(3)
  pass(2)
  await read()
  expect(calls).toBe(4)
})

test('a refused token is not remembered as a user, even if it was valid before', async () => {
  const { token, user } = await signInAnonymously(world)
  expect((await paywall.user({ token }))?.user.id).toBe(user.id)
  const erase = ['users', 'erase', user.id, '--owner', world.file.owner.email, '--yes']
  expect(await command(world, erase)).toMatchObject({ code: 0 })
  expect((await paywall.user({ token }))?.user.id).toBe(user.id)
  pass(11)
  expect(await paywall.user({ token })).toBeNull()
  expect(await paywall.user({ token })).toBeNull()
})

test('a service that is unavailable is an error, and nobody', async () => {
  const { token } = await signInAnonymously(world)
  const cut = () => Promise.reject(new TypeError('fetch failed'))
  await expect(paywall.user({ token }, { fetch: cut })).rejects.toMatchObject({ code: 'network_error' })
})
