import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'paywall-package-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Builds the package in a copy, because packing removes the build that other tests import. Returns the file's path. */
async function pack(): Promise<string> {
  const copy = join(folder, 'sdk')
  cpSync('sdk', copy, { recursive: true, filter: (path) => !['dist', 'node_modules'].includes(basename(path)) })
  cpSync('tsconfig.base.json', join(folder, 'tsconfig.base.json'))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  symlinkSync(resolve('sdk/node_modules'), join(copy, 'node_modules'))
  await run('npm', ['pack', '--pack-destination', folder], { cwd: copy })
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

test('the packed file can be installed in another project, as the README shows', async () => {
  const file = await pack()
  expect(readFileSync('sdk/README.md', 'utf8')).toContain(`npm install ../${basename(file)} `)
  const project = await install(file)
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(project, 'main.ts'), PROGRAM)
  const compilerOptions = { module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom'], strict: true, types: [] }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  await run(resolve('node_modules/.bin/tsc'), ['-p', project])
  const { stdout } = await run(process.execPath, [join(project, 'main.js')])
  expect(stdout).toBe('nobody function function function function\n')
})
