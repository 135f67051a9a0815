import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { withClient } from '../../dev/database.ts'
import { makeSecrets, type Secrets } from '../../dev/secrets.ts'
import { startWorld, type World } from '../../dev/world.ts'

export interface TestWorldOptions {
  checkoutLeaseSeconds?: number
}

export interface TestWorld extends World {
  readonly secrets: Secrets
  /** What the Workers logged. */
  readonly logs: { level: string; message: string }[]
}

/** A world of its own on a fresh database. The caller closes it, in `afterAll` as a rule. */
export async function startTestWorld({ checkoutLeaseSeconds }: TestWorldOptions = {}): Promise<TestWorld> {
  const logs: TestWorld['logs'] = []
  const secrets = await makeSecrets()
  const world = await startWorld({
    databaseUrl: await freshDatabase(),
    secrets,
    ...(checkoutLeaseSeconds !== undefined && { checkoutLeaseSeconds }),
    onLog: (level, message) => void logs.push({ level, message }),
  })
  return { ...world, secrets, logs }
}

/** A copy of the template database. It goes away with the run's Postgres. */
export async function freshDatabase(): Promise<string> {
  const template = new URL(inject('templateUrl'))
  const name = `world_${randomUUID().replaceAll('-', '')}`
  const maintenance = new URL(template)
  maintenance.pathname = '/postgres'
  await withClient(maintenance.href, (client) => client.query(`create database ${name} template template`))
  template.pathname = `/${name}`
  return template.href
}
