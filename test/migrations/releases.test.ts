import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Release, readCalledRelease, readRelease, releaseName } from '../../cli/migrate/release.ts'
import { ROLES, roleDatabaseUrl } from '../../cli/migrate/roles.ts'
import { startWorkers, type Workers } from '../../dev/world/workers/workers.ts'
import { signIn } from '../support/exchange.ts'
import { runMigrations } from '../support/owned-postgres.ts'
import { verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const rolesKey = inject('databaseRolesKey')

/** The Workers of the second release, on the same database. */
let second: Workers

/** This tree's release, except that a user's meta names the release that read it. */
function releaseMarked(marker: string): Release {
  const files = readRelease().files.map(({ path, text }) => ({
    path,
    text: text.replace("'meta', m.buyer_meta || m.meta,", `'meta', m.meta || '{"release": "${marker}"}',`),
  }))
  return { ...readRelease(), files, name: releaseName(files) }
}

const releases = { first: readRelease(), second: releaseMarked('second'), third: releaseMarked('third') }

const world = useTestWorld({ file: { webhooks: [] } })
beforeAll(async () => {
  await runMigrations(world.databaseUrl, { rolesKey, release: releases.second })
  second = await getWorkers(releases.second)
})
afterAll(async () => {
  await second.stop()
})

/** This tree's Workers, except that they call another release. */
function getWorkers({ name }: Release): Promise<Workers> {
  const folder = inject('bundles')
  const getCode = (file: string) => readFileSync(join(folder, file), 'utf8').replaceAll(releases.first.name, name)
  return startWorkers({
    port: 0,
    values: { ...world.secrets, RATE_LIMITED: false },
    neonUrl: world.neon.url,
    databaseUrls: Object.fromEntries(ROLES.map(({ env }) => [env, roleDatabaseUrl(env, world.databaseUrl, rolesKey)])),
    code: new Map(readdirSync(folder).map((file) => [basename(file, '.js'), getCode(file)])),
    receiveMail: () => Promise.reject(new Error('nobody is mailed')),
    onLog: () => undefined,
  })
}

const headers = () => ({ 'x-api-key': world.key, 'content-type': 'application/json' })

/** The release that read the user, or the status if that failed. */
async function readBy({ fetch }: Pick<Workers, 'fetch'>, id: string): Promise<unknown> {
  const reply = await fetch(`/api/v1/paywall/${world.paywall.id}/user?user_id=${id}`, { headers: headers() })
  if (reply.status !== 200) return reply.status
  const { meta } = (await reply.json()) as { meta: { release?: string } }
  return meta.release ?? 'first'
}

async function credit({ fetch }: Pick<Workers, 'fetch'>, id: string): Promise<number> {
  const body = JSON.stringify({ op: 'credit', amount: 1, type: 'premium', user_id: id })
  const path = `/api/v1/paywall/${world.paywall.id}/balances`
  return (await fetch(path, { method: 'POST', headers: headers(), body })).status
}

async function readInstalled(): Promise<string[]> {
  const { rows } = await world.database.query<{ name: string }>(
    `select name from releases join pg_namespace on nspname = name order by installed_at desc`,
  )
  return rows.map(({ name }) => name)
}

test('the Workers of two releases work side by side on the same members', async () => {
  const { id } = await signIn(world)
  expect(await Promise.all([readBy(world, id), readBy(second, id)])).toEqual(['first', 'second'])
  const credits = Array.from({ length: 40 }, (_, index) => credit(index % 2 === 0 ? world : second, id))
  expect(new Set(await Promise.all(credits))).toEqual(new Set([200]))
  expect((await verifiedBalances(world, id)).premium).toBe(40)
})

test('a third release replaces the first one, and keeps the second one', async () => {
  const { id } = await signIn(world)
  const options = { rolesKey, release: releases.third }
  expect(await runMigrations(world.databaseUrl, { ...options, keepReleases: true })).toEqual([
    `install ${releases.third.name}`,
  ])
  expect(await readBy(world, id), 'until its Workers are replaced').toBe('first')
  expect(await runMigrations(world.databaseUrl, options)).toEqual([`remove ${releases.first.name}`])
  expect(await readInstalled()).toEqual([releases.third.name, releases.second.name])
  expect(await Promise.all([readBy(world, id), readBy(second, id)])).toEqual([500, 'second'])
})

test('a rollback is a deploy of the older tree: its release is installed again, and is the newest', async () => {
  await runMigrations(world.databaseUrl, { rolesKey, release: releases.second })
  expect(await readInstalled()).toEqual([releases.second.name, releases.third.name])
  await runMigrations(world.databaseUrl, { rolesKey, release: releases.first })
  expect(await readInstalled()).toEqual([releases.first.name, releases.second.name])
  expect(await runMigrations(world.databaseUrl, { rolesKey, release: releases.first })).toEqual([])

  const { id } = await signIn(world)
  expect(await Promise.all([readBy(world, id), readBy(second, id)])).toEqual(['first', 'second'])
})

test('a role that calls one more function of the same release is granted it, and nothing is installed again', async () => {
  const [role, ...others] = releases.first.roles
  const roles = [{ ...role!, functions: [...role!.functions, 'read_user'] }, ...others]
  const more = { ...releases.first, roles }
  expect(await runMigrations(world.databaseUrl, { rolesKey, release: more })).toEqual([
    `grant missing rights on ${more.name}`,
  ])
  expect(await runMigrations(world.databaseUrl, { rolesKey, release: more })).toEqual([])
  expect(await readInstalled()).toEqual([releases.first.name, releases.second.name])
})

test('a tree whose Workers call another release than its .sql files define is rejected', () => {
  expect(readCalledRelease()).toEqual(releases.first)
  expect(() => readCalledRelease(releases.second)).toThrow(
    `the Workers call ${releases.first.name}, but the .sql files define ${releases.second.name}: run npm run generate`,
  )
})
