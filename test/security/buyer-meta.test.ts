import { describe, expect, test } from 'vitest'
import { withDatabase } from '../../cli/database.ts'
import { mergeUsers } from '../../cli/users/merge.ts'
import { call } from '../support/call.ts'
import { newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { readOwnerId } from '../support/owner-id.ts'
import { getGrant, requestTokens, signInAnonymously } from '../support/sign-in.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

/** Writes the `meta` of a user as the owner. */
async function writeAsOwner(email: string, userMeta: object) {
  const { paywall, key } = world
  return parseOpened(await startCheckout(world, { paywall, key, body: { email, userMeta } })).userId
}

/** Writes the `meta` of a user as the user itself. */
const writeAsUser = (token: string, userMeta: object) =>
  startCheckout(world, { paywall: world.paywall, token, body: { userMeta } })

/** The `meta` of a user, as the owner reads it or, with a token, the user itself. */
async function getMeta(userId: string, token?: string): Promise<unknown> {
  const path = `/api/v1/paywall/${world.paywall.id}/user`
  const reply = token ? call(world, path, { token }) : call(world, `${path}?user_id=${userId}`, { key: world.key })
  return Object(await reply.then(({ body }) => body)).meta
}

describe('meta that an owner wrote about a user', () => {
  test('is neither overwritten nor removed by a Bearer call, whichever came first', async () => {
    const email = newEmail()
    await writeAsOwner(email, { role: 'user', limits: { seats: 1 } })
    const { id, token } = await signIn(world, { email })
    expect(await writeAsUser(token, { role: 'admin', limits: { seats: 99 }, theme: 'dark' })).toMatchObject({
      status: 200,
    })
    expect(await getMeta(id)).toEqual({ role: 'user', limits: { seats: 1 }, theme: 'dark' })
    expect(await getMeta(id, token)).toEqual({ role: 'user', limits: { seats: 1 }, theme: 'dark' })

    expect(await writeAsUser(token, { plan: 'gold', role: null })).toMatchObject({ status: 200 })
    await writeAsOwner(email, { plan: 'free' })
    const served = { role: 'user', limits: { seats: 1 }, theme: 'dark', plan: 'free' }
    expect(await getMeta(id)).toEqual(served)

    const portal = `/api/v1/paywall/${world.paywall.id}/get-customer-portal`
    await call(world, portal, { token, body: { userMeta: { role: 'admin' } } })
    expect(await getMeta(id)).toEqual(served)
  })

  test('can be written however much the user has written: each side has its own 64 KB', async () => {
    const email = newEmail()
    const { id, token } = await signIn(world, { email })
    const text = 'x'.repeat(4 * 1024 - 20)
    for (let count = 0; count < 16; count += 1) {
      expect(await writeAsUser(token, { [`a${count}`]: text })).toMatchObject({ status: 200 })
    }
    await until('each page that was replaced is closed', async () => {
      const { rowCount } = await world.database.query(
        'select from checkouts where reconcile_at is not null group by user_id having count(*) > 1',
      )
      return rowCount === 0
    })
    const before = await stateChecksum(world)
    expect(await writeAsUser(token, { b: text })).toMatchObject({ status: 400, body: { error: 'userMeta too large' } })
    expect(await stateChecksum(world)).toBe(before)
    await writeAsOwner(email, { b: text })
    await writeAsOwner(email, { a0: 'short' })
    expect(await getMeta(id)).toMatchObject({ b: text, a0: 'short', a15: text })
  })

  test('takes precedence after a merge, too', async () => {
    const email = newEmail()
    const known = await signIn(world, { email })
    await writeAsUser(known.token, { colour: 'red', size: 1 })
    await writeAsOwner(email, { role: 'user' })
    const anonymous = await signInAnonymously(world)
    await writeAsUser(anonymous.token, { role: 'admin', colour: 'blue', tab: 2 })
    const grant = await getGrant(world, email)
    expect(await requestTokens(world, grant, { token: anonymous.token })).toMatchObject({ status: 200 })
    expect(await getMeta(known.id)).toEqual({ role: 'user', colour: 'red', size: 1, tab: 2 })
  })

  test('takes precedence after an operator’s merge, in which the remaining user’s values win', async () => {
    const [from, into] = [await signIn(world), await signIn(world)]
    for (const [{ email, token }, name] of [
      [from, 'from'],
      [into, 'into'],
    ] as const) {
      await writeAsOwner(email, { role: name, [`owner_${name}`]: true })
      await writeAsUser(token, { role: 'admin', theme: name, [`buyer_${name}`]: true })
    }
    const users = { ownerId: await readOwnerId(world), isTest: true }
    await withDatabase(world.databaseUrl, (db) => mergeUsers(db, users, { from: from.id, into: into.id }))
    expect(await getMeta(into.id)).toEqual({
      role: 'into',
      owner_from: true,
      owner_into: true,
      theme: 'into',
      buyer_from: true,
      buyer_into: true,
    })
  })
})
