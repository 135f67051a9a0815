import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ROLES, roleDatabaseUrl } from '../../cli/migrate/roles.ts'
import { workerSecrets } from '../../dev/tools/worker-secrets.ts'
import { makeSecrets } from '../../dev/world/secrets.ts'
import { readWorkerConfigs } from '../../dev/world/workers/wrangler-config.ts'
import { until } from '../support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'paywall-deploy-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

const DATABASE_URL = 'postgres://neondb_owner:secret-of-the-owner@127.0.0.1:1/neondb'
const secrets = { ...(await makeSecrets()), DATABASE_URL }
const { DATABASE_ROLES_KEY } = secrets

describe('a Worker is given', () => {
  const secretsByEnv = new Map(readWorkerConfigs().map((config) => [config.env, workerSecrets(config, secrets)]))

  test('the secrets that its block in wrangler.toml requires, and no others', () => {
    for (const { env, secrets: required } of readWorkerConfigs()) {
      expect(Object.keys(secretsByEnv.get(env) ?? {}).toSorted(), env).toEqual(required.toSorted())
    }
  })

  test("the login of its own role, but neither the owner's nor the key that all logins are derived from", () => {
    for (const { env } of ROLES) {
      expect(secretsByEnv.get(env)?.DATABASE_URL).toBe(roleDatabaseUrl(env, DATABASE_URL, DATABASE_ROLES_KEY))
    }
    const everything = JSON.stringify([...secretsByEnv.values()])
    expect(everything).not.toContain('secret-of-the-owner')
    expect(everything).not.toContain(DATABASE_ROLES_KEY)
  })

  test('nothing if a secret is missing, which is reported before anything is deployed', () => {
    const config = readWorkerConfigs().find(({ env }) => env === 'user')!
    for (const name of ['DATABASE_URL', 'DATABASE_ROLES_KEY', 'ACCESS_TOKEN_PUBLIC_KEYS']) {
      expect(() => workerSecrets(config, { ...secrets, [name]: '' })).toThrow(
        `the secrets have no ${name}, which user requires`,
      )
    }
  })
})

/** Ends what is left of a process group, such as wrangler. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error // it has ended by itself
  }
}

describe('a deploy leaves no secrets behind', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)('when it is ended by %s', async (signal) => {
    const temporary = mkdtempSync(join(folder, 'tmp-'))
    const path = join(folder, 'production.json')
    writeFileSync(path, JSON.stringify(secrets))
    const env = { PATH: process.env.PATH, TMPDIR: temporary }
    const deploying = spawn(process.execPath, ['dev/tools/deploy.ts', '--secrets', path, '--dry-run'], {
      env,
      stdio: 'ignore',
      detached: true, // in a process group of its own, as in a terminal
    })
    const ended = once(deploying, 'exit')
    const written = () => readdirSync(temporary, { recursive: true }).filter((name) => String(name).endsWith('.json'))
    try {
      await until('the secrets are written', async () => written().length > 0)
      for (const file of written()) {
        expect(statSync(join(temporary, String(file))).mode & 0o077, 'nobody else may read it').toBe(0)
      }
      deploying.kill(signal)
      await ended
      await until(
        'the secrets are deleted',
        async () => readdirSync(temporary).every((name) => !name.startsWith('paywall-deploy-')),
        10_000,
      )
    } finally {
      killGroup(deploying.pid!)
    }
  })
})

describe('a deploy stops before the first Worker', () => {
  function deploy(args: string[], variables: Record<string, string> = {}) {
    const env = { PATH: process.env.PATH, ...variables }
    return new Promise<{ code: number | string | null; out: string; err: string }>((resolve) => {
      execFile(process.execPath, ['dev/tools/deploy.ts', ...args], { env }, (error, out, err) => {
        resolve({ code: error?.code ?? 0, out, err })
      })
    })
  }

  const EMPTY = 'SERVICE_ORIGIN = ""'
  const text = readFileSync('wrangler.toml', 'utf8')

  /** The arguments of a deploy with a wrangler.toml that has these SERVICE_ORIGINs, in this order. */
  function configured(origins: string[]): string[] {
    const path = join(mkdtempSync(join(folder, 'config-')), 'wrangler.toml')
    const [next, written] = [origins.values(), (origin: string) => `SERVICE_ORIGIN = "${origin}"`]
    writeFileSync(
      path,
      text.replaceAll(EMPTY, () => written(next.next().value ?? '')),
    )
    return ['--config', path]
  }

  const everywhere = (origin: string) => Array.from({ length: text.split(EMPTY).length - 1 }, () => origin)
  const ready = configured(everywhere('https://billing.example'))

  test('if there is no database to install the functions in', async () => {
    const { code, out, err } = await deploy(ready)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^nothing was deployed: set DATABASE_URL and DATABASE_ROLES_KEY .*\n$/)
  })

  test('if the database is unreachable, whether a file or the environment names it', async () => {
    const path = join(folder, 'production.json')
    writeFileSync(path, JSON.stringify(secrets))
    const replies = [
      await deploy([...ready, '--secrets', path]),
      await deploy(ready, { DATABASE_URL, DATABASE_ROLES_KEY }),
    ]
    for (const reply of replies) {
      expect(reply).toMatchObject({ code: 1, out: '' })
      expect(reply.err).toMatch(/^the database cannot be reached: .*\n$/)
    }
  })

  test.each<[string, string[], string[]]>([
    ['is empty', [], ['pages', 'start-checkout', 'processors'].map((env) => `${env} has ""`)],
    [
      'is empty at processors alone',
      configured([...everywhere('https://billing.example').slice(1), '']),
      ['pages has "https://billing.example"', 'processors has ""'],
    ],
    [
      'differs',
      configured(['https://pay.example', ...everywhere('https://billing.example').slice(1)]),
      ['pages has "https://pay.example"', 'processors has "https://billing.example"'],
    ],
    ['is no origin', configured(everywhere('https://billing.example/')), ['pages has "https://billing.example/"']],
  ])('if SERVICE_ORIGIN %s', async (_, args, shown) => {
    const { code, out, err } = await deploy(args, { DATABASE_URL, DATABASE_ROLES_KEY })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^nothing was deployed: SERVICE_ORIGIN must be the same origin, .*\n$/)
    for (const each of shown) expect(err).toContain(each)
  })
})
