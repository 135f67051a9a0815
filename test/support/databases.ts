import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { withClient } from '../../cli/database.ts'
import { makeSecrets, type Secrets } from '../../dev/world/secrets.ts'

/** Fresh secrets, except that the database roles are those of the run's Postgres. */
export async function testSecrets(): Promise<Secrets> {
  return { ...(await makeSecrets()), DATABASE_ROLES_KEY: inject('databaseRolesKey') }
}

/** A copy of the template database. Replaces a database of the same name. Dropped with the run's Postgres. */
export async function freshDatabase(name = `world_${randomUUID().replaceAll('-', '')}`): Promise<string> {
  await withClient(inThisPostgres('postgres'), async (client) => {
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`create database ${name} template template strategy file_copy`)
  })
  return inThisPostgres(name)
}

function inThisPostgres(database: string): string {
  const url = new URL(inject('templateUrl'))
  url.pathname = `/${database}`
  return url.href
}
