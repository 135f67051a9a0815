import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../lib/processors/processor-name.ts'

const root = join(import.meta.dirname, '..')
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

/** The shared files that must be edited to add a processor. */
const LISTS = [
  'lib/processors/processor-name.ts',
  'lib/processors/definitions.ts',
  'lib/processors/discount-checks.ts',
  'lib/processors/adapters.ts',
  'dev/emulators/emulators.ts',
]

const isProcessorFolder = (file: string) =>
  PROCESSOR_NAMES.some((name) =>
    [`lib/processors/${name}/`, `dev/emulators/${name}/`].some((at) => file.startsWith(at)),
  )

test('a processor is named only in its adapter folder, its emulator and the shared lists', () => {
  const naming = new RegExp(PROCESSOR_NAMES.join('|'), 'i')
  const named = tracked.filter(
    (file) =>
      /^(lib|functions|cli|dev)\/|^(wrangler\.toml|schema\.sql)$/.test(file) &&
      !isProcessorFolder(file) &&
      naming.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(named.toSorted()).toEqual(LISTS.toSorted())
})

test('adapters parse replies and webhooks with parseReply and parseEvent only, which report what is invalid', () => {
  const parsing = tracked.filter(
    (file) =>
      isProcessorFolder(file) &&
      file.startsWith('lib/') &&
      /\b(?!JSON|Date)[A-Z]\w*\.parse\(|[sS]chema\.parse\(/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(parsing).toEqual([])
})

test('the conformance suite names processors only in its drivers', () => {
  const naming = new RegExp(PROCESSOR_NAMES.join('|'), 'i')
  const suite = tracked.filter((file) => /^test\/conformance\/[^/]+$/.test(file))
  expect(suite.filter((file) => naming.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
  expect(suite.length).toBeGreaterThan(5)
})

test('the simulation names no processor', () => {
  const naming = new RegExp(PROCESSOR_NAMES.join('|'), 'i')
  const simFiles = tracked.filter((file) => file.startsWith('test/sim/'))
  expect(simFiles.filter((file) => naming.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
  expect(simFiles.length).toBeGreaterThan(5)
})

test.each(PROCESSOR_NAMES)('the adapter folder of %s has the required files', (name) => {
  const files = tracked.filter((file) => file.startsWith(`lib/processors/${name}/`)).map((file) => file.split('/')[3])
  expect(files).toEqual(
    expect.arrayContaining(['adapter.ts', 'definition.ts', 'events.ts', 'objects.ts', 'translate.ts']),
  )
})
