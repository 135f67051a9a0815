import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { credit } from '../support/anonymous.ts'
import { call } from '../support/call.ts'
import { newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { parseSession, refresh, type Session, signInAnonymously, signInByMail } from '../support/sign-in.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { subscribe } from '../support/subscriber.ts'
import { at, type Tenant, tenant } from '../support/tenants.ts'
import { MESSAGE, ticketId } from '../support/tickets.ts'
import { changeBalance } from '../support/token-calls.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { verifyLedger } from '../support/verify-ledger.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ file: { paywalls: [{}, {}] } })
/** Two paywalls of one owner, and one of another owner. */
let firstTenant: Tenant
let secondTenant: Tenant
let foreignTenant: Tenant

beforeAll(async () => {
  const [first, second] = world.file.paywalls.map((paywall) => ({ ...tenant(world.file), paywall }))
  firstTenant = first!
  secondTenant = second!
  foreignTenant = tenant(await paywallFile())
  await world.apply(foreignTenant.file)
})

/** The command as a person runs it, in a process of its own. */
function users(...args: string[]) {
  return new Promise<{ code: number | string | null; out: string; err: string }>((resolve) => {
    const env = { PATH: process.env.PATH, DATABASE_URL: world.databaseUrl }
    execFile(process.execPath, ['cli/main.ts', 'users', ...args], { env }, (error, out, err) => {
      resolve({ code: error?.code ?? 0, out, err })
    })
  })
}

const usersOfOwner = (...args: string[]) => users(...args, '--owner', world.file.owner.email)
const merge = (from: string, into: string) => usersOfOwner('merge', from, into)
const setEmail = (name: string, email: string) => usersOfOwner('set-email', name, email)

async function signInByKey(names: { email?: string; external_id?: string } = { email: newEmail() }): Promise<Session> {
  return parseSession(await call(world, at(firstTenant, 'sign-in/exchange'), { key: firstTenant.key, body: names }))
}

const readState = ({ paywall, key }: Tenant, id: string) => userState(world, id, { paywallId: paywall.id, key })
const find = (query: string) => call(world, at(firstTenant, `user?${query}`), { key: firstTenant.key })
const invalidToken = { status: 401, body: { error: 'invalid_token' } }

describe('paywall users merge', () => {
  test('transfers everything that a user has on all paywalls to another user, and ends its sessions', async () => {
    const into = await signInByKey({ email: newEmail(), external_id: randomUUID() })
    const from = await subscribe(world, firstTenant)
    await subscribe(world, secondTenant, 'monthly', from.email)
    await credit(world, from.id, 7)
    const session = await signInByMail(world, from.email)
    const ticket = ticketId(await call(world, at(secondTenant, 'support/ticket'), { token: from.token, body: MESSAGE }))

    const paywalls = [firstTenant, secondTenant].map(({ paywall }) => paywall.id).toSorted()
    expect(await merge(from.email, into.user.email!)).toEqual({
      code: 0,
      err: '',
      out: `Merged user ${from.id} into ${into.user.id} on paywall ${paywalls.join(', ')}.\n`,
    })
    for (const tenantOfOwner of [firstTenant, secondTenant]) {
      expect(await readState(tenantOfOwner, into.user.id)).toMatchObject({
        paid: true,
        purchases: [{ status: 'active' }],
      })
      expect(await call(world, at(tenantOfOwner, 'user'), { token: from.token })).toMatchObject(invalidToken)
      expect((await readState(tenantOfOwner, from.id)).purchases).toHaveLength(1)
    }
    expect(await verifiedBalances(world, into.user.id)).toMatchObject({ premium: 7, standard: 100 })
    expect(await refresh(world, session.refreshToken)).toMatchObject({ status: 400 })
    const { rows } = await world.database.query('select user_id from tickets where id = $1', [ticket])
    expect(rows).toEqual([{ user_id: into.user.id }])
    expect(await find(`email=${from.email}`)).toMatchObject({ status: 404, body: { error: 'identity_not_found' } })
    expect((await signInByKey({ email: into.user.email! })).user).toMatchObject({ ...into.user })
  })

  test('transfers the e-mail address or external id that the target lacks, and keeps those that it has', async () => {
    const [email, external_id] = [newEmail(), randomUUID()]
    const [byEmail, byExternalId] = [await signInByKey({ email }), await signInByKey({ external_id })]
    expect(await merge(byEmail.user.id, external_id)).toMatchObject({ code: 0 })
    expect((await signInByKey({ email })).user).toEqual({ ...byExternalId.user, email })
    const full = await signInByKey({ email: newEmail(), external_id: randomUUID() })
    expect(await merge(email, full.user.external_id!)).toMatchObject({ code: 0 })
    expect((await signInByKey({ email: full.user.email! })).user).toEqual(full.user)
    expect((await signInByKey({ email })).user.id).not.toBe(full.user.id)
  })

  test('resolves the id of a user that was merged twice to the last user', async () => {
    const anonymous = await signInAnonymously(world)
    await credit(world, anonymous.user.id, 3)
    const second = await signInByMail(world, (await signInByKey()).user.email!, { token: anonymous.token })
    const third = await signInByKey()
    expect(await merge(second.user.id, third.user.id)).toMatchObject({ code: 0 })
    expect(await changeBalance(world, { user_id: anonymous.user.id, type: 'premium' })).toMatchObject({
      status: 200,
      body: { user_id: third.user.id, count: 4 },
    })
  })

  test('is refused, and changes nothing, for invalid users', async () => {
    const [one, other] = [await signInByKey(), await signInByKey()]
    const stranger = parseSession(
      await call(world, at(foreignTenant, 'sign-in/exchange'), { key: foreignTenant.key, body: { email: newEmail() } }),
    )
    const merged = await signInByKey()
    await merge(merged.user.id, other.user.id)
    const likeAnId = await signInByKey({ external_id: one.user.id })
    const before = await stateChecksum(world)
    const refusals: [Promise<{ err: string }>, string][] = [
      [merge(stranger.user.id, other.user.id), `the owner has no test user ${stranger.user.id}`],
      [merge(other.user.id, stranger.user.email!), `the owner has no test user ${stranger.user.email}`],
      [merge(merged.user.id, one.user.email!), `user ${merged.user.id} was merged into ${other.user.id}: use that one`],
      [merge(other.user.id, other.user.email!), 'are the same user'],
      [merge(one.user.id, other.user.id), `${one.user.id} matches several users: use`],
      [users('merge', one.user.id, other.user.id, '--owner', 'nobody@example.com'), 'there is no owner'],
    ]
    for (const [refused, sentence] of refusals)
      expect(await refused).toMatchObject({ code: 1, err: expect.stringContaining(sentence) })
    expect(await stateChecksum(world)).toBe(before)
    expect(likeAnId.user.id).not.toBe(one.user.id)
  })

  test('of two users into each other at once succeeds once, and no concurrent call is lost', async () => {
    for (let round = 0; round < 3; round++) {
      const pair = await Promise.all([signInByKey(), signInByKey()])
      const [one, other] = pair.map(({ user }) => user.id) as [string, string]
      const calls = Array.from({ length: 8 }, (_, index) =>
        changeBalance(world, { user_id: index % 2 ? one : other, amount: 1, type: 'premium' }),
      )
      const checkouts = pair.map(({ token }) => startCheckout(world, { paywall: secondTenant.paywall, token }))
      const merges = await Promise.all([merge(one, other), merge(other, one)])
      expect(merges.map(({ code }) => code).toSorted(), JSON.stringify(merges)).toEqual([0, 1])
      expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200))
      const last = merges[0].code === 0 ? other : one
      expect(await verifiedBalances(world, last)).toMatchObject({ premium: 8 })
      for (const reply of await Promise.all(checkouts)) if (reply.status === 200) parseOpened(reply)
      const { rows } = await world.database.query(
        'select (select count(*)::int from checkouts where user_id = $1) as checkouts, (select count(*)::int from members where user_id = $1 and merged_into is null) as members',
        [last === one ? other : one],
      )
      expect(rows).toEqual([{ checkouts: 0, members: 0 }])
    }
    expect(await verifyLedger(world.databaseUrl)).toMatchObject({ code: 0, err: '' })
    expect(world.logs.filter(({ message }) => message.includes('unexpected failure'))).toEqual([])
  })
})

describe('paywall users set-email', () => {
  test("changes a user's e-mail address, including for look-ups", async () => {
    const { user } = await signInByKey()
    const email = newEmail()
    expect(await setEmail(user.email!, ` ${email.toUpperCase()} `)).toEqual({
      code: 0,
      err: '',
      out: `User ${user.id} now has the e-mail address ${email}.\n`,
    })
    expect((await signInByKey({ email })).user).toEqual({ ...user, email })
    expect(await find(`email=${user.email}`)).toMatchObject({ status: 404 })
    expect(await setEmail(user.id, email)).toMatchObject({ code: 0 })
  })

  test('suggests merge if another user of the same owner has the address', async () => {
    const [one, other] = [await signInByKey(), await signInByKey()]
    const { err, code } = await setEmail(one.user.id, other.user.email!)
    expect(code).toBe(1)
    expect(err).toContain(`paywall users merge ${other.user.id} ${one.user.id} --owner ${world.file.owner.email}`)
    const shared = newEmail()
    await call(world, at(foreignTenant, 'sign-in/exchange'), { key: foreignTenant.key, body: { email: shared } })
    expect(await setEmail(one.user.id, shared)).toMatchObject({ code: 0 })
  })

  test.each(['no address', 'a@b', 'victi\u212a@example.com', 'ａnn@example.com'])('refuses %s', async (email) => {
    const { user } = await signInByKey()
    expect(await setEmail(user.id, email)).toMatchObject({
      code: 1,
      err: `paywall: ${email} is not an e-mail address\n`,
    })
  })
})
