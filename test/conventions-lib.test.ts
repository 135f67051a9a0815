import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const sources = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
const imports = sources.flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, to = '']) => ({
    file,
    to: normalize(join(dirname(file), to)),
  })),
)

/** `functions/balances`, or the top folder. */
const getFolder = (file: string) => /^functions\/[^/]+|^[^/]+/.exec(file)?.[0] ?? ''

/**
 * What counts as one file: a file, but of the processors' adapters all. An adapter is kept whole, so that what differs
 * between processors stays in one place, also what only the Worker of webhooks uses of it.
 */
const getUnit = (file: string) => (file.startsWith('lib/processors/') ? 'lib/processors' : file)

/** The folders that use a file of lib, by themselves or through other files of lib. A test needs nothing to be in lib. */
function getUsers(unit: string, units = new Set([unit])): Set<string> {
  const users = new Set<string>()
  for (const { file } of imports.filter(({ to }) => getUnit(to) === unit)) {
    const folder = getFolder(file)
    if (folder === 'test') continue
    if (folder !== 'lib') users.add(folder)
    else if (!units.has(getUnit(file)))
      for (const user of getUsers(getUnit(file), units.add(getUnit(file)))) users.add(user)
  }
  return users
}

test('nothing stands in lib that only one other folder uses', () => {
  const units = new Set(sources.filter((file) => file.startsWith('lib/')).map(getUnit))
  const few = [...units].map((unit) => ({ unit, users: [...getUsers(unit)] })).filter(({ users }) => users.length < 2)
  expect(few).toEqual([])
})

test('the users of a file are found: direct ones, those through lib, and not the tests', () => {
  expect([...getUsers('lib/events/wake.ts')].toSorted()).toContain('functions/balances')
  expect([...getUsers('lib/http/base-app.ts')], 'lib/endpoint/app.ts uses it').toContain('functions/balances')
})
