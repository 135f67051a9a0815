import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../lib/processors/processor-name.ts'

const root = join(import.meta.dirname, '..')
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

/** The files that a new processor is added to, besides its own folders. */
const LISTS = [
  'lib/processors/processor-name.ts',
  'lib/processors/definitions.ts',
  'lib/processors/adapters.ts',
  'dev/emulators/emulators.ts',
]

const isProcessorFolder = (file: string) =>
  PROCESSOR_NAMES.some((name) =>
    [`lib/processors/${name}/`, `dev/emulators/${name}/`].some((at) => file.startsWith(at)),
  )

test('a processor is named nowhere but in its adapter folder, its emulator and the lists of them', () => {
  const naming = new RegExp(PROCESSOR_NAMES.join('|'), 'i')
  const named = tracked.filter(
    (file) =>
      /^(lib|functions|cli|dev)\/|^(wrangler\.toml|schema\.sql)$/.test(file) &&
      !isProcessorFolder(file) &&
      naming.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(named.toSorted()).toEqual(LISTS.toSorted())
})

test('an adapter folder parses what is sent to it by parseReply and parseEvent, which say what is wrong with it', () => {
  const parsing = tracked.filter(
    (file) =>
      isProcessorFolder(file) &&
      file.startsWith('lib/') &&
      /\b(?!JSON|Date)[A-Z]\w*\.parse\(|[sS]chema\.parse\(/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(parsing).toEqual([])
})

test('the conformance suite names a processor in its drivers alone', () => {
  const naming = new RegExp(PROCESSOR_NAMES.join('|'), 'i')
  const suite = tracked.filter((file) => /^test\/conformance\/[^/]+$/.test(file))
  expect(suite.filter((file) => naming.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
  expect(suite.length).toBeGreaterThan(5)
})

test('the simulation names no processor', () => {
  const naming = new RegExp(PROCESSOR_NAMES.join('|'), 'i')
  const played = tracked.filter((file) => file.startsWith('test/sim/'))
  expect(played.filter((file) => naming.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
  expect(played.length).toBeGreaterThan(5)
})

test.each(PROCESSOR_NAMES)('the adapter folder of %s has the same files as every other', (name) => {
  const files = tracked.filter((file) => file.startsWith(`lib/processors/${name}/`)).map((file) => file.split('/')[3])
  expect(files).toEqual(
    expect.arrayContaining(['adapter.ts', 'definition.ts', 'events.ts', 'objects.ts', 'translate.ts']),
  )
})
