import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'

const root = join(import.meta.dirname, '..')

const Entry = z.looseObject({
  link: z.boolean().optional(),
  integrity: z.string().optional(),
  resolved: z.string().optional(),
})
const LockFile = z.looseObject({ packages: z.record(z.string(), Entry) })

const packageJson = z
  .object({ dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))

describe('the lock file', () => {
  const { packages } = LockFile.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')))
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)

  test('has an integrity hash for every package, including packages for other platforms', () => {
    const withoutHash = installed.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
    expect(withoutHash.map(([path]) => path)).toEqual([])
    expect(installed.length).toBeGreaterThan(300)
  })

  test('contains no registry URLs, because each machine has its own registry', () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })
})

test('dependencies lists every package that the Workers and the CLI import', () => {
  const folders = ['functions', 'lib', 'cli', 'generated']
  const sources = execFileSync('git', ['ls-files', ...folders], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
  const imported = sources
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) => [
      ...readFileSync(join(root, path), 'utf8').matchAll(/(?:^import |from |import\()'((?:@[\w-]+\/)?[\w.-]+)[/']/gm),
    ])
    .map(([, name = '']) => name)
  const allowed = new Set([...Object.keys(packageJson.dependencies), 'paywall-billing-sdk'])
  expect(imported).toContain('pg')
  expect(imported.filter((name) => !name.startsWith('.') && !allowed.has(name))).toEqual([])
})

test('.nvmrc has the Node version that the scripts run on', () => {
  const { node } = packageJson.dependencies
  expect(readFileSync(join(root, '.nvmrc'), 'utf8').trim()).toBe(node)
})
