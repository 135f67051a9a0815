import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { paywall } from '../support/paywall.ts'
import { parseSession, refresh, type Session, signInAnonymously, signInByMail } from '../support/sign-in.ts'
import { newTenant, type Tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'paywall-leaked-'))
const path = join(folder, 'paywall.json')
let tenant: Tenant

const world = useTestWorld()
afterAll(() => rmSync(folder, { recursive: true }))
/** Each test has an owner of its own, with a key called `backend`. */
beforeEach(async () => {
  tenant = await newTenant(world)
})

const run = (...args: string[]) => paywall(world, args)
const signOut = (...args: string[]) => run('users', 'sign-out', ...args)
const newSecret = () => `pk_test_${randomBytes(24).toString('hex')}`
const owner = () => tenant.file.owner.email

/** Signs a user in with an owner key, through `sign-in/exchange`. */
async function mint({ paywall: { id }, key }: { paywall: { id: string }; key: string }, email = newEmail()) {
  return parseSession(await call(world, `/api/v1/paywall/${id}/sign-in/exchange`, { key, body: { email } }))
}

const isActive = async ({ refreshToken }: Session, { paywall: { id } } = tenant) =>
  (await refresh(world, refreshToken, { paywallId: id })).status === 200

/** Writes the tenant's paywall file, with these keys. */
function write(keys: object[]): void {
  const { file, paywall: sold } = tenant
  const { id, name, is_test, settings, processor } = sold
  const paywalls = [{ id, name, test: is_test, settings, processor, prices: [] }]
  writeFileSync(path, JSON.stringify({ owner: file.owner, keys, webhooks: file.webhooks, paywalls }))
}

test('apply that revokes a key prints how many live sessions it minted; they continue', async () => {
  const [kept, ended] = [await mint(tenant), await mint(tenant)]
  await signInByMail(world, newEmail(), { paywallId: tenant.paywall.id })
  await mint(await newTenant(world))
  await signOut(ended.user.id, '--owner', owner())

  write([])
  const line = 'key backend: revoked (1 session that it minted stays valid: end it with users sign-out --minted-by)'
  const plan = JSON.parse((await run('plan', path, '--json')).out)
  expect(plan.changes).toContainEqual(expect.objectContaining({ what: 'key backend', how: 'revoked', sessions: 1 }))
  expect((await run('plan', path)).out).toContain(line)
  expect((await run('apply', path, '--yes')).out).toContain(line)
  expect(await isActive(kept)).toBe(true)
})

test('apply that rotates a key prints how many live sessions it minted; they continue', async () => {
  const sessions = [await mint(tenant), await mint(tenant)]
  write([{ name: 'backend', secret: newSecret() }])
  const { out } = await run('apply', path, '--yes')
  expect(out).toContain('key backend: new secret, the old one is revoked (2 sessions that it minted stay valid: ')
  for (const session of sessions) expect(await isActive(session)).toBe(true)
})

test('a rotation that gives the new key the name of the old one reports the old one as revoked', async () => {
  const [old, next] = [tenant.key, newSecret()]
  write([
    { name: 'backend', secret: old },
    { name: 'backend-next', secret: next },
  ])
  expect(await run('apply', path, '--yes')).toMatchObject({ code: 0 })
  await mint(tenant)
  const kept = await mint({ ...tenant, key: next })

  write([{ name: 'backend', secret: next }])
  const line = 'key backend: revoked (1 session that it minted stays valid: end it with users sign-out --minted-by)'
  const refused = await run('apply', path)
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`paywall: ${line}\n`) })
  const { changes } = JSON.parse((await run('plan', path, '--json')).out)
  expect(changes).toEqual([
    expect.objectContaining({ how: 'renamed from backend-next', destructive: false }),
    expect.objectContaining({ what: 'key backend', how: 'revoked', destructive: true, sessions: 1 }),
  ])
  expect((await run('apply', path, '--yes')).out).toContain(line)
  expect(await signOut('--minted-by', 'backend', '--owner', owner())).toMatchObject({
    out: 'Ended 1 session minted by key backend.\n',
  })
  expect(await isActive(kept)).toBe(true)
})

test('a renamed key is not revoked, even if another key has its old name', async () => {
  const other = newSecret()
  const [one, two] = [
    { name: 'backend', secret: tenant.key },
    { name: 'worker', secret: other },
  ]
  const planned = async (...keys: object[]) => {
    write(keys)
    const { changes } = JSON.parse((await run('plan', path, '--json')).out)
    return changes.map(({ what, how, destructive }: Record<string, unknown>) => [what, how, destructive])
  }
  const swapped = [
    { ...two, name: 'backend' },
    { ...one, name: 'worker' },
  ]
  write([one])
  expect(await run('apply', path, '--yes')).toMatchObject({ code: 0 })
  expect(await planned(...swapped)).toEqual([
    ['key backend', 'new', false],
    ['key worker', 'renamed from backend', false],
  ])
  write([one, two])
  expect(await run('apply', path)).toMatchObject({ code: 0 })
  expect(await planned(...swapped)).toEqual([
    ['key backend', 'renamed from worker', false],
    ['key worker', 'renamed from backend', false],
  ])
})

test('--minted-by ends only the sessions that the revoked key of that name minted, including refreshed ones', async () => {
  const paywallId = tenant.paywall.id
  const minted = await mint(tenant)
  const next = parseSession(await refresh(world, minted.refreshToken, { paywallId }))
  const others = [
    await signInByMail(world, newEmail(), { paywallId }),
    await signInByMail(world, minted.user.email ?? '', { paywallId }),
    await signInAnonymously(world, { paywallId }),
  ]
  const foreignTenant = await newTenant(world)
  const foreignSession = await mint(foreignTenant)
  const key = newSecret()
  write([{ name: 'backend', secret: key }])
  expect(await run('apply', path, '--yes')).toMatchObject({ code: 0 })
  const byNewKey = await mint({ ...tenant, key })

  expect(await signOut('--minted-by', 'backend', '--owner', owner())).toEqual({
    code: 0,
    out: 'Ended 1 session minted by key backend.\n',
    err: '',
  })
  expect(await isActive(next)).toBe(false)
  for (const session of [...others, byNewKey]) expect(await isActive(session)).toBe(true)
  expect(await isActive(foreignSession, foreignTenant)).toBe(true)
})

test('--minted-by with --since ends only the sessions that the key minted after that time', async () => {
  const [before, since] = [await mint(tenant), await mint(tenant)]
  await world.database.query(`update sign_in_sessions set created_at = now() - interval '2 hours' where user_id = $1`, [
    before.user.id,
  ])
  write([])
  expect(await run('apply', path, '--yes')).toMatchObject({ code: 0 })
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
  expect(await signOut('--minted-by', 'backend', '--since', hourAgo, '--owner', owner())).toMatchObject({
    code: 0,
    out: expect.stringContaining('Ended 1 session minted by key backend'),
  })
  expect([await isActive(before), await isActive(since)]).toEqual([true, false])
})

test('--minted-by refuses an active key, because its holder could mint others', async () => {
  const session = await mint(tenant)
  expect(await signOut('--minted-by', 'backend', '--owner', owner())).toMatchObject({
    code: 1,
    err: expect.stringContaining('no revoked key backend'),
  })
  expect(await isActive(session)).toBe(true)
})

test('--all ends all sessions of an owner, or those that began after a given time', async () => {
  const paywallId = tenant.paywall.id
  const before = await mint(tenant)
  await world.database.query(`update sign_in_sessions set created_at = now() - interval '2 hours' where user_id = $1`, [
    before.user.id,
  ])
  const since = [await mint(tenant), await signInAnonymously(world, { paywallId })]
  const foreignTenant = await newTenant(world)
  const foreignSession = await mint(foreignTenant)

  const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
  const shown = await signOut('--all', '--since', hourAgo, '--owner', owner())
  expect(shown).toEqual({ code: 0, out: `Ended 2 sessions of all users since ${hourAgo}.\n`, err: '' })
  for (const session of since) expect(await isActive(session)).toBe(false)
  expect(await isActive(before)).toBe(true)

  expect(await signOut('--all', '--paywall', paywallId)).toMatchObject({ out: 'Ended 1 session of all users.\n' })
  expect(await isActive(before)).toBe(false)
  expect(await isActive(foreignSession, foreignTenant)).toBe(true)
})

test.each<[string, string[]]>([
  ['a user and --all', ['a@b.co', '--all']],
  ['--all and --minted-by', ['--all', '--minted-by', 'backend']],
  ['--since with a user', ['a@b.co', '--since', '2026-01-01T00:00:00Z']],
  ['no arguments', []],
  ['an invalid time', ['--all', '--since', 'yesterday']],
])('refuses %s', async (_what, args) => {
  const refused = await signOut(...args, '--owner', owner())
  expect(refused).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/name either a user, --minted-by NAME or --all|--since/),
  })
})
