import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ACQUIRING } from '../lib/processors/acquiring.ts'

const root = join(import.meta.dirname, '..')
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

/** The files that a new processor is added to, besides its own folders. */
const LISTS = [
  'lib/processors/acquiring.ts',
  'lib/processors/definitions.ts',
  'lib/processors/adapters.ts',
  'dev/emulators/emulators.ts',
]

const NAMES = `(${ACQUIRING.join('|')})`

/** All that may name a processor, and why. */
const EXCEPTIONS: [files: RegExp, why: string][] = [
  [new RegExp(`^(lib/processors|dev/emulators)/${NAMES}/`), 'what only this processor does'],
  [new RegExp(`^(${LISTS.join('|')})$`), 'the lists of them'],
  [/^(generated|sdk\/src\/generated)\/|^paywall\.schema\.json$/, 'made of the definitions'],
  [/\.md$/, 'prose: what differs between them stands in docs/processors/'],
  [/^test\//, 'a test sells through one of them; those of all of them are held below'],
  [/^demo\/paywall\.json$/, 'what the demo sells through as long as nobody names another'],
  [/^bench\/(contenders\/world-process|fill\/\w+|load\/[\w-]+)\.ts$/, 'the load is that of one, at any commit'],
  [/^package(-lock)?\.json$/, 'the official SDKs'],
]

const naming = new RegExp(NAMES, 'i')
const names = (file: string) => naming.test(readFileSync(join(root, file), 'utf8'))

test('a processor is named nowhere but in its wing, its emulator, the lists of them, and what is about them', () => {
  const named = tracked.filter(names)
  expect(named.filter((file) => !EXCEPTIONS.some(([files]) => files.test(file)))).toEqual([])
  expect(LISTS.filter((file) => !named.includes(file))).toEqual([])
  expect(EXCEPTIONS.filter(([files]) => !named.some((file) => files.test(file)))).toEqual([])
})

test('the conformance suite names a processor in its drivers alone', () => {
  const suite = tracked.filter((file) => /^test\/conformance\/[^/]+$/.test(file))
  expect(suite.filter(names)).toEqual([])
  expect(suite.length).toBeGreaterThan(5)
})

test('the simulation names no processor', () => {
  const played = tracked.filter((file) => file.startsWith('test/sim/'))
  expect(played.filter(names)).toEqual([])
  expect(played.length).toBeGreaterThan(5)
})

test.each(ACQUIRING)('the wing of %s has the files of every wing', (name) => {
  const files = tracked.filter((file) => file.startsWith(`lib/processors/${name}/`)).map((file) => file.split('/')[3])
  expect(files).toEqual(
    expect.arrayContaining(['adapter.ts', 'definition.ts', 'events.ts', 'objects.ts', 'translate.ts']),
  )
})
