import { afterAll, beforeAll, expect, test } from 'vitest'
import { withClient } from '../../cli/database.ts'
import { call } from '../support/call.ts'
import { deployed, newKey } from '../support/deployed.ts'
import { signIn } from '../support/exchange.ts'
import { openWebhookEndpoint, runDeliveryCron } from '../support/mailbox.ts'
import { type OwnedPostgres, runMigrations, startOwnedPostgres } from '../support/owned-postgres.ts'
import { changeBalance } from '../support/token-calls.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

// Rotates DATABASE_ROLES_KEY by the steps of a deploy. Roles belong to a whole Postgres server, so this test starts its own.

const [older, newer] = [newKey(), newKey()]
let server: OwnedPostgres
let url: string
let world: TestWorld

beforeAll(async () => {
  server = await startOwnedPostgres()
  url = await server.createDatabase('rotated')
  await runMigrations(url, { rolesKey: older })
  world = await startTestWorld({
    databaseUrl: url,
    secrets: { DATABASE_ROLES_KEY: older },
    writesUndocumentedEvents: true,
  })
})
afterAll(async () => {
  await world.close()
  await server.postgres.stop()
})

/** Ends the Workers' connections, so that each of them has to log in again. */
async function disconnect(): Promise<void> {
  await withClient(server.postgres.url('rotated'), (client) =>
    client.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and usename like 'paywall_%'`,
    ),
  )
}

test('no call fails and no event is lost while the Workers are deployed, and then the old logins are gone', async () => {
  const { id } = await signIn(world)
  const mailbox = await openWebhookEndpoint(world)

  async function use(workers: TestWorld): Promise<void> {
    await disconnect()
    const read = await call(workers, `/api/v1/paywall/${world.paywall.id}/user?user_id=${id}`, { key: world.key })
    expect(read).toMatchObject({ status: 200 })
    expect(await changeBalance(workers, { user_id: id })).toMatchObject({ status: 200 })
    const [event] = await mailbox.addEvents()
    await runDeliveryCron(workers)
    expect(mailbox.ids()).toContain(event)
  }

  await use(world)
  // The deploy begins with the database. The running Workers still have the old logins.
  await runMigrations(url, { rolesKey: newer, keepReleases: true })
  await use(world)
  const after = await deployed(world, { DATABASE_ROLES_KEY: newer })
  for (const workers of [world, after, world]) await use(workers)
  // It also ends with the database, once every Worker has its new login.
  await runMigrations(url, { rolesKey: newer, removeOldLogins: true })
  await use(after)
  await disconnect()
  const read = call(world, `/api/v1/paywall/${world.paywall.id}/user?user_id=${id}`, { key: world.key })
  expect((await read).status).toBeGreaterThanOrEqual(500)
  await after.close()
})
