import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import sdk from '../../sdk/package.json' with { type: 'json' }

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'paywall-package-'))
afterAll(() => rmSync(folder, { recursive: true }))
const readme = readFileSync('sdk/README.md', 'utf8')

/** The commands of the README that build the package and install it, without their comments. */
const commands = (/^## Installation[\s\S]*?^```sh\n([\s\S]*?)^```/m.exec(readme)?.[1] ?? '')
  .trim()
  .split('\n')
  .map((line) => line.replace(/ +#.*/, ''))

/**
 * Runs the README's command in a copy of the clone, because packing removes the build that other tests import. Its packages are those that
 * are installed here. Returns the file's path.
 */
async function pack(command: string): Promise<string> {
  const clone = join(folder, 'clone')
  const built = ['dist', 'node_modules']
  cpSync('sdk', join(clone, 'sdk'), { recursive: true, filter: (path) => !built.includes(basename(path)) })
  for (const name of ['package.json', 'tsconfig.base.json']) cpSync(name, join(clone, name))
  for (const name of ['node_modules', 'sdk/node_modules']) symlinkSync(resolve(name), join(clone, name))
  await run('sh', ['-c', command], { cwd: clone })
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz'))!)
}

/** Installs a packed file in a project of its own. Its dependencies are those that are installed here. */
async function install(file: string): Promise<string> {
  const project = join(folder, 'project')
  const packages = join(project, 'node_modules')
  mkdirSync(join(packages, 'paywall-billing-sdk'), { recursive: true })
  await run('tar', ['-xzf', file, '--strip-components=1', '-C', join(packages, 'paywall-billing-sdk')])
  for (const name of ['openapi-fetch', 'standardwebhooks'])
    symlinkSync(resolve('node_modules', name), join(packages, name))
  return project
}

const PROGRAM = `
import { Paywall } from 'paywall-billing-sdk'
import { createPaywall } from 'paywall-billing-sdk/browser'
import { createDialog } from 'paywall-billing-sdk/dialog'
import { nodeWebhooks, webhooks } from 'paywall-billing-sdk/webhooks'

const paywall = new Paywall({ key: 'pk_test_1', paywall: '1001', baseUrl: 'https://pay.acme.com' })
const caller = await paywall.user({ token: null })
console.log(caller?.user.email ?? 'nobody', typeof createPaywall, typeof createDialog, typeof webhooks, typeof nodeWebhooks)
`

test('the README lists every entry point', () => {
  const entries = Object.keys(sdk.exports).filter((path) => path !== './package.json')
  const listed = [...readme.matchAll(/^\| `(paywall-billing-sdk[/\w]*)` \|/gm)].map(([, name]) => name)
  expect(listed.toSorted()).toEqual(entries.map((path) => path.replace('.', 'paywall-billing-sdk')).toSorted())
  expect(readme).toContain(`has ${['no', 'one', 'two', 'three', 'four', 'five'][entries.length]} entry points:`)
})

test('the packed file can be installed in another project, as the README shows', async () => {
  const [inClone, packIt = '', inProject] = commands
  expect(inClone, 'packing compiles, for which a fresh clone has no compiler').toBe('npm ci')
  const file = await pack(packIt)
  expect(inProject).toBe(`npm install ../${basename(file)}`)
  const project = await install(file)
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(project, 'main.ts'), PROGRAM)
  const compilerOptions = { module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom'], strict: true, types: [] }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  await run(resolve('node_modules/.bin/tsc'), ['-p', project])
  const { stdout } = await run(process.execPath, [join(project, 'main.js')])
  expect(stdout).toBe('nobody function function function function\n')
})
