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

/** For a Worker its folder, such as `functions/balances`; otherwise the top-level folder. */
const getFolder = (file: string) => /^functions\/[^/]+|^[^/]+/.exec(file)?.[0] ?? ''

/**
 * Usually a file is its own unit. All processor adapters together are one unit: an adapter stays in one folder even if some of
 * its files are used only by the webhook Worker, so that everything specific to a processor is in one place.
 */
const getUnit = (file: string) => (file.startsWith('lib/processors/') ? 'lib/processors' : file)

/** The folders that import a unit of lib, directly or through other files of lib. Tests do not count. */
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

test('every file in lib is used by at least two other folders', () => {
  const units = new Set(sources.filter((file) => file.startsWith('lib/')).map(getUnit))
  const underused = [...units]
    .map((unit) => ({ unit, users: [...getUsers(unit)] }))
    .filter(({ users }) => users.length < 2)
  expect(underused).toEqual([])
})

test('getUsers finds direct and indirect importers', () => {
  expect([...getUsers('lib/events/wake.ts')].toSorted()).toContain('functions/balances')
  expect([...getUsers('lib/http/base-app.ts')], 'lib/endpoint/app.ts uses it').toContain('functions/balances')
})
