import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { type Changes, environment, sampleFileText } from '../support/sample-paywall-file.ts'
import { useTestWorld } from '../support/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'paywall-command-'))
const path = join(folder, 'paywall.json')
let variables: Record<string, string>

const world = useTestWorld()
beforeAll(async () => {
  const { PROCESSOR_CREDENTIALS_KEY, WEBHOOK_SECRETS_KEY, TURNSTILE_SECRETS_KEY } = world.secrets
  const database = {
    DATABASE_URL: world.databaseUrl,
    PROCESSOR_CREDENTIALS_KEY,
    WEBHOOK_SECRETS_KEY,
    TURNSTILE_SECRETS_KEY,
  }
  variables = { ...environment, ...database, PAYWALL_LOCAL_DIR: join(folder, 'local') }
})
afterAll(() => rmSync(folder, { recursive: true }))

const write = (changes: Changes = {}) => writeFileSync(path, sampleFileText(changes))

/** The command as a person runs it, in a process of its own. */
function paywall(args: string[], own: Record<string, string | undefined> = variables) {
  return new Promise<{ code: number | string | null; out: string; err: string }>((resolve) => {
    const env = { PATH: process.env.PATH, ...own }
    execFile(process.execPath, ['cli/main.ts', ...args], { env }, (error, out, err) => {
      resolve({ code: error?.code ?? 0, out, err })
    })
  })
}

describe('paywall', () => {
  test('plans and applies a file, and then has nothing to change', async () => {
    write({ 'keys[0].secret': undefined })
    const planned = await paywall(['plan', path])
    expect(planned).toMatchObject({ code: 0, err: '' })
    expect(planned.out).toContain('key backend: new')
    expect(planned.out).not.toMatch(/pk_test_|sk_test_|whsec_/)

    const applied = await paywall(['apply', path])
    expect(applied).toMatchObject({ code: 0, err: '' })
    const key = /pk_test_[0-9a-f]{64}/.exec(applied.out)?.[0]
    const user = await call(world, '/api/v1/paywall/1001/user?email=nobody@example.com', { key: key ?? '' })
    expect(user).toMatchObject({ status: 404 })

    const again = await paywall(['apply', path])
    expect(again.out).toContain('Nothing to change.')
    expect(again.out).not.toContain('pk_test_')
  })

  test('plan prints the version that bootstrap serves after apply, for every country', async () => {
    write({ 'keys[0].secret': undefined, 'paywalls[0].name': 'Another name' })
    const { out } = await paywall(['plan', path])
    const common = /Version of paywall 1001: (\S+)/.exec(out)?.[1]
    const india = /in IN: (\S+)/.exec(out)?.[1]
    await paywall(['apply', path])
    const served = async (country: string) => (await call(world, '/api/v1/paywall/1001/bootstrap', { country })).body
    expect(await served('DE')).toMatchObject({ version: common, settings: { name: 'Another name' } })
    expect(await served('IN')).toMatchObject({ version: india })
    expect(india).not.toBe(common)
  })

  test('uses the local world if DATABASE_URL is not set, and says so', async () => {
    write({ 'keys[0].secret': undefined })
    const { DATABASE_URL, ...others } = variables
    const nowhere = await paywall(['plan', path], others)
    expect(nowhere).toMatchObject({ code: 1, out: '' })
    expect(nowhere.err).toMatch(/^paywall: DATABASE_URL is not set, and there is no local world in .*\n$/)

    const local = mkdtempSync(join(folder, 'local-'))
    writeFileSync(join(local, 'env'), `DATABASE_URL="${DATABASE_URL}"\n`)
    const found = await paywall(['plan', path], { ...others, PAYWALL_LOCAL_DIR: local })
    expect(found).toMatchObject({ code: 0, err: `DATABASE_URL is not set: using the local world in ${local}\n` })
  })

  test('names every error of a file by its path', async () => {
    write({ 'owner.email': 'x', 'paywalls[0].prices[0].amount': -1 })
    const { code, err } = await paywall(['apply', path])
    expect(code).toBe(1)
    expect(err.split('\n')).toEqual([
      `paywall: ${path}: owner.email: Invalid email address`,
      `paywall: ${path}: paywalls[0].prices[0].amount: Too small: expected number to be >=0`,
      '',
    ])
  })

  test('prints help', async () => {
    expect((await paywall([])).out).toContain('apply [options] <file>')
    expect(await paywall(['help'])).toMatchObject({ code: 0, err: '' })
  })
})

describe('paywall prints one line', () => {
  test.each<[string, string[], Record<string, string | undefined>, RegExp]>([
    ['if the file does not exist', ['apply', 'nowhere.json'], {}, /nowhere\.json cannot be read: no such file/],
    ['if the file is a folder', ['apply', folder], {}, /.* cannot be read: EISDIR: .*/],
    [
      'if a variable is missing',
      ['plan', path],
      { WEBHOOK_SECRETS_KEY: '' },
      /WEBHOOK_SECRETS_KEY is not set in the environment/,
    ],
    [
      'if a key is malformed',
      ['plan', path],
      { WEBHOOK_SECRETS_KEY: 'abc' },
      /WEBHOOK_SECRETS_KEY must be 32 bytes in base64url, or two such keys separated by a comma/,
    ],
    [
      'if the database cannot be reached',
      ['plan', path],
      { DATABASE_URL: 'postgres://user:hidden@127.0.0.1:1/db' },
      /the database cannot be reached: (?!.*hidden).*ECONNREFUSED.*/,
    ],
  ])('%s', async (_what, args, own, sentence) => {
    write()
    const { code, out, err } = await paywall(args, { ...variables, ...own })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(new RegExp(`^paywall: ${sentence.source}\n$`))
  })

  test('if the database has no tables', async () => {
    write()
    const maintenance = new URL(variables.DATABASE_URL ?? '')
    maintenance.pathname = '/postgres'
    const { err } = await paywall(['plan', path], { ...variables, DATABASE_URL: maintenance.href })
    expect(err).toBe('paywall: the database has no tables yet: run `paywall migrate` first\n')
  })
})
