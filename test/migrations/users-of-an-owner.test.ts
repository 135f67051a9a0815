import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { withClient } from '../../cli/database.ts'
import { readRelease, releaseSteps } from '../../cli/migrate/release.ts'
import { roleSteps } from '../../cli/migrate/roles.ts'
import { runStep } from '../../cli/migrate/step.ts'
import { tableSteps } from '../../cli/migrate/tables.ts'
import { call } from '../support/call.ts'
import { withOldSchema } from '../support/old-schema.ts'
import { migrated, type OwnedPostgres, startOwnedPostgres } from '../support/owned-postgres.ts'
import { type Row, rowsOf, sorted } from '../support/table-rows.ts'
import { userState } from '../support/user-state.ts'
import { verifyLedger } from '../support/verify-ledger.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

const rolesKey = inject('databaseRolesKey')
const userNumber = (number: number) => `20000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const ownerNumber = (number: number) => `10000000-0000-4000-8000-${String(number).padStart(12, '0')}`
/** Known to two owners: see fill-two-owners.sql. */
const [SHARED, ADDRESS] = [userNumber(204), 'user-204@example.com']
/** The functions of the release before, as they are installed. */
const OLD_RELEASE = `release_${'0'.repeat(16)}`

const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')

let server: OwnedPostgres
let url: string
let before: Record<string, Row[]>
let after: Record<string, Row[]>
/** The first owner's user of that address: the second owner keeps the id, since its member is older. */
let split: string

beforeAll(async () => {
  server = await startOwnedPostgres()
  url = await server.createDatabase('shared_users')
  await withOldSchema(url, { filled: true })
  await withClient(url, async (client) => {
    await client.query('set search_path = public')
    const roles = await roleSteps(client, readRelease().roles, rolesKey)
    const earlier = (await tableSteps(client)).filter(({ what }) => !/migration (000[5-9]|00[1-9])/.test(what))
    for (const step of [...roles, ...earlier]) await runStep(step)
    await client.query(read('fill-two-owners.sql'))
    const old = { name: OLD_RELEASE, files: [{ path: 'old.sql', text: read('users-of-nobody.sql') }], roles: [] }
    for (const step of await releaseSteps(client, old)) await runStep(step)
  })
  before = await rowsOf(url)
  await migrated(url, { rolesKey })
  after = await rowsOf(url)
  split = String(after.members!.find((row) => row.paywall_id === '1001' && row.name === 'User 204')?.user_id)
})
afterAll(() => server.postgres.stop())

test('of a user whom two owners know, the one who knew it first keeps the id, and the other has a user of its own', () => {
  expect(split).not.toBe(SHARED)
  const users = after.users!.filter(({ email }) => email === ADDRESS)
  expect(new Map(users.map(({ id, owner_id }) => [owner_id, id]))).toEqual(
    new Map([
      [ownerNumber(2), SHARED],
      [ownerNumber(1), split],
    ]),
  )
  expect(users.find(({ id }) => id === split)?.created_at).not.toBe(users.find(({ id }) => id === SHARED)?.created_at)
})

test('all that is about it on the paywall of either owner is found again, under that owner’s id', () => {
  const tables = Object.keys(before).filter((table) => before[table]!.some((row) => 'paywall_id' in row))
  const counted = Object.fromEntries(tables.map((table) => [table, 0]))
  for (const table of tables) {
    const expected = before[table]!.map(({ reconcile_at: _due, ...row }) => {
      const mine = row.paywall_id === '1001' && JSON.stringify(without(row, 'body')).includes(SHARED)
      if (mine) counted[table]!++
      return mine
        ? { ...JSON.parse(JSON.stringify(without(row, 'body')).replaceAll(SHARED, split)), ...body(row) }
        : row
    })
    const columns = Object.keys(expected[0]!)
    const found = after[table]!.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])))
    expect(sorted(found), table).toEqual(sorted(expected))
  }
  const none = Object.entries(counted).filter(([, count]) => count === 0)
  expect(none.map(([table]) => table).toSorted()).toEqual(NOT_ABOUT_USERS)
})

/** What has no user in its rows. */
const NOT_ABOUT_USERS = [
  'balance_replies',
  'payments',
  'prices',
  'processor_accounts',
  'processor_events',
  'sign_in_codes',
]

const without = (row: Row, column: string) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== column))
/** An event's bytes are signed: they go on naming the user as they did. */
const body = (row: Row) => ('body' in row ? { body: row.body } : {})

test('nobody else changed, save that each has an owner; who never came to a paywall is gone', () => {
  const expected = before.users!.filter(({ id }) => id !== userNumber(999)).map(({ id, email }) => ({ id, email }))
  const found = after.users!.filter(({ id }) => id !== split).map(({ id, email }) => ({ id, email }))
  expect(sorted(found)).toEqual(sorted(expected))
  expect(after.users!.filter(({ owner_id }) => owner_id === null)).toEqual([])
})

describe('the service works on it:', () => {
  let world: TestWorld
  beforeAll(async () => {
    world = await startTestWorld({ databaseUrl: url, inventsEvents: true })
  })
  afterAll(() => world.close())

  test('both owners find their own user by the address, and every balance is the sum of its ledger', async () => {
    expect(await verifyLedger(url)).toMatchObject({ code: 0, err: '' })
    for (const [owner, paywallId, name] of [
      [1, '1001', split],
      [2, '1002', SHARED],
    ] as const) {
      const at = { paywallId, key: `pk_test_${'0'.repeat(63)}${owner}` }
      const byAddress = await call(world, `/api/v1/paywall/${paywallId}/user?email=${ADDRESS}`, { key: at.key })
      expect(byAddress).toMatchObject({ status: 200, body: { purchases: owner === 1 ? [{ status: 'trialing' }] : [] } })
      expect(byAddress.body).toMatchObject({ ...(await userState(world, name, at)) })
    }
  })
})

describe('functions of the release before go on for the minutes of the deploy:', () => {
  let client: pg.Client
  beforeAll(async () => {
    client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`set search_path = ${OLD_RELEASE}, public`)
  })
  afterAll(() => client.end())

  const one = async (statement: string, values: unknown[] = []) => (await client.query(statement, values)).rows[0]
  const ownerOf = async (id: unknown) => (await one('select owner_id from users where id = $1', [id])).owner_id

  test.each([
    ['1001', 1],
    ['1002', 2],
  ])('on paywall %s they find the user of owner %d, and make users for it', async (paywallId, owner) => {
    const known = owner === 1 ? split : SHARED
    const find = `select find_named_user($1, $2, null) as id`
    expect(await one(find, [paywallId, ADDRESS])).toEqual({ id: known })
    const buyer = `select (lock_buyer($1, null, $2, '{}', (select p from prices p where p.paywall_id = $1 limit 1), true)).user_id as id`
    expect(await one(buyer, [paywallId, ADDRESS])).toEqual({ id: known })
    expect(await ownerOf((await one(buyer, [paywallId, 'new-buyer@example.com'])).id)).toBe(ownerNumber(owner))
    const signIn = 'select user_of_address($1, $2, null) as id'
    expect(await one(signIn, [paywallId, ADDRESS])).toEqual({ id: known })
    expect(await ownerOf((await one(signIn, [paywallId, 'new-user@example.com'])).id)).toBe(ownerNumber(owner))
    const anonymous = await one(
      `select sign_in_anonymously($1, 'h', gen_random_uuid(), repeat('e', 64), 30) #>> '{user,id}' as id`,
      [paywallId],
    )
    expect(await ownerOf(anonymous.id)).toBe(ownerNumber(owner))
  })

  test('an address that only another owner’s user has is another user here, also for an anonymous one who signs in', async () => {
    const address = (
      await one('select email from users where owner_id = $1 and email is not null limit 1', [ownerNumber(2)])
    ).email
    const { id } = await one(
      `select sign_in_anonymously('1001', 'h', gen_random_uuid(), repeat('e', 64), 30) #>> '{user,id}' as id`,
    )
    expect(await one('select user_of_address($1, $2, $3) as id', ['1001', address, id])).toEqual({ id })
    expect(await ownerOf(id)).toBe(ownerNumber(1))
  })

  test('what is written in any other way fails, and mixes nothing up', async () => {
    await expect(client.query("insert into users (email) values ('x@example.com')")).rejects.toThrow('owner_id')
    await expect(
      client.query(`insert into members (paywall_id, user_id, owner_id) values ('1001', $1, $2)`, [
        SHARED,
        ownerNumber(1),
      ]),
    ).rejects.toThrow('members_owner_id_user_id_fkey')
  })
})
