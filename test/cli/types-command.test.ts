import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'paywall-types-'))
symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a program in its own process. */
const run = (program: string, args: string[]) =>
  new Promise<{ code: number | string | null; out: string; err: string }>((done) => {
    execFile(program, args, (error, out, err) => done({ code: error?.code ?? 0, out, err }))
  })

const types = (...args: string[]) => run(process.execPath, ['cli/main.ts', 'types', ...args])

/** Writes one of an owner's source files, which are compiled together. */
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

/** The lines of the source files with type errors, as `file:line`. */
async function typeErrorLines(): Promise<string[]> {
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: 'es2022',
    module: 'nodenext',
    types: [],
  }
  write('tsconfig.json', JSON.stringify({ compilerOptions }))
  const { out } = await run('node_modules/.bin/tsc', ['-p', folder])
  const errors = out.split('\n').filter((line) => /^\S/.test(line))
  return errors.map((error) => /(\w+\.ts)\((\d+),/.exec(error)?.slice(1).join(':') ?? error).toSorted()
}

const SERVER = `import { Paywall } from 'paywall-billing-sdk'
export async function run(paywall: Paywall, id: string) {
  await paywall.checkout({ email: 'a@b.co', price: 'yearly' })
  await paywall.checkout({ email: 'a@b.co', price: 'price_0123456789abcdef01234567' })
  for (const price of (await paywall.bootstrap()).prices) await paywall.checkout({ email: 'a@b.co', price: price.slug })
  const user = await paywall.user({ email: 'a@b.co' })
  user?.can('priority-support')
  user?.balance('standard')
  await paywall.debit({ email: 'a@b.co' }, 'standard', 1)
  await paywall.withdraw({ user_id: id, token_type: 'standard', tokens: 1 })
  await paywall.checkout({ email: 'a@b.co', price: 'yearli' })
  user?.can('exprt')
  user?.balance('standart')
  await paywall.credit({ email: 'a@b.co' }, 'gold', 1)
  await paywall.withdraw({ user_id: id, token_type: 'gold', tokens: 1 })
}
`
const BROWSER = `import type { BrowserPaywall } from 'paywall-billing-sdk/browser'
export async function run(paywall: BrowserPaywall) {
  await paywall.open('yearly')
  paywall.can('export')
  for (const price of (await paywall.bootstrap()).prices) await paywall.open(price.slug)
  await paywall.open('yearli')
  paywall.can('exprt')
}
`

test('without the generated types the SDK accepts any name, and with them only names in the paywall file', async () => {
  write('server.ts', SERVER)
  write('browser.ts', BROWSER)
  expect(await typeErrorLines()).toEqual([])

  const { code, out, err } = await types('demo/paywall.json')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  write('paywall.d.ts', out)
  expect(await typeErrorLines()).toEqual([
    'browser.ts:6',
    'browser.ts:7',
    'server.ts:11',
    'server.ts:12',
    'server.ts:13',
    'server.ts:14',
    'server.ts:15',
  ])
})

test('each name of all paywalls in a file is listed once, and secrets are not needed', async () => {
  const price = (slug: string, features: string[] = []) => ({ slug, features })
  const path = join(folder, 'names.json')
  const paywalls = [
    {
      prices: [price('b', ['sync', 'export']), price('a"b')],
      settings: { tokenization_queries: [{ type: 'standard' }] },
    },
    { prices: [price('b', ['export'])] },
  ]
  writeFileSync(path, JSON.stringify({ keys: [{ secret: 'env:NOWHERE' }], paywalls }))
  expect((await types(path)).out).toContain(
    'price: "a\\"b" | "b"\n    feature: "export" | "sync"\n    token: "standard"\n',
  )
  expect(JSON.parse((await types(path, '--json')).out)).toEqual({
    price: ['a"b', 'b'],
    feature: ['export', 'sync'],
    token: ['standard'],
  })

  writeFileSync(path, JSON.stringify({ paywalls: [{ prices: [] }] }))
  expect((await types(path)).out, 'no names, so no name is allowed').toContain('price: never')
  writeFileSync(path, JSON.stringify({ paywalls: [{ prices: [{}] }] }))
  expect((await types(path)).err).toBe(`paywall: ${path}: paywalls[0].prices[0].slug: is missing\n`)
})
