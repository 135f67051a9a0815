import { execFile } from 'node:child_process'
import { appendFileSync, cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SqlFunction, sqlFunctions, withCallees } from '../support/sql-functions.ts'

// The verdicts of a database function are written twice: in its .sql file, and in TypeScript as the result type of the call. This test
// lets tsc compare the two, in a copy of the code to which it appends a type assertion for each call.

const root = join(import.meta.dirname, '../..')
const functions = sqlFunctions()
const entries = [...functions.values()].filter(({ isEntry }) => isEntry)

/** Verdicts of called functions that the caller itself never returns. */
const UNREACHABLE: Record<string, string[]> = {
  withdraw_tokens: ['too_much'], // only a credit can be too much
  change_tokens: ['unknown_identity', 'not_member'], // the console reports both as `unknown_user_id`
  read_user_bootstrap: ['unknown_identity', 'not_member'], // a user who is not a member gets only the structure
}

/** The verdicts that a function can return. One without a user's token cannot return `unknown_user`. */
function getVerdicts(entry: SqlFunction): string[] {
  const decided = new Set(withCallees(entry, functions).flatMap(({ decides }) => decides))
  for (const impossible of UNREACHABLE[entry.name] ?? []) decided.delete(impossible)
  if (!entry.parameters.includes('token_user_id')) decided.delete('unknown_user')
  return [...decided]
}

const ASSERTION_TYPES = `
type VerdictOf<Result> = Result extends { verdict: infer Verdict } ? Verdict : never
type Compared<InTypeScript, InSql> = [InTypeScript | InSql] extends [InTypeScript & InSql]
  ? 'the same'
  : { onlyInTypeScript: Exclude<InTypeScript, InSql>; onlyInSql: Exclude<InSql, InTypeScript> }
`

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

let copy: string
const comparedNames = new Set<string>()

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'paywall-verdicts-'))
  for (const path of ['functions', 'lib', 'generated', 'tsconfig.workers.json', 'tsconfig.base.json', 'package.json']) {
    cpSync(join(root, path), join(copy, path), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const file of globSync('{functions,lib}/**/*.ts', { cwd: copy })) {
    const assertions = typeAssertions(readFileSync(join(copy, file), 'utf8'))
    if (assertions.length > 0) appendFileSync(join(copy, file), [ASSERTION_TYPES, ...assertions].join('\n'))
  }
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** A type assertion for each call of a database function with an explicit result type. */
function typeAssertions(code: string): string[] {
  return entries.flatMap((entry) => {
    const call = new RegExp(`\\b${camelCase(entry.name)}<((?:[^<>()]|<[^<>()]*>)+)>\\(`, 'g')
    return [...code.matchAll(call)].map(([, result]) => {
      comparedNames.add(entry.name)
      const inSql = getVerdicts(entry).map((verdict) => `'${verdict}'`)
      return `void ('the same' satisfies Compared<VerdictOf<${result}>, ${inSql.join(' | ') || 'never'}>) // ${entry.path}`
    })
  })
}

test('the verdicts that TypeScript expects of a database function are those that its .sql file can return', async () => {
  expect([...(await readTypeErrors())]).toEqual([])
  // Every function with verdicts must have been compared. The others return a value, or nothing that anybody reads.
  const uncompared = entries.filter(({ name }) => !comparedNames.has(name))
  expect(uncompared.filter((entry) => getVerdicts(entry).length > 0).map(({ name }) => name)).toEqual([])
})

/** The errors that tsc reports. */
function readTypeErrors(): Promise<string[]> {
  return new Promise((resolve) => {
    execFile(
      join(root, 'node_modules/.bin/tsc'),
      ['-p', 'tsconfig.workers.json', '--pretty', 'false'],
      { cwd: copy },
      (_error, output) => resolve(output.trim().split('\n').filter(Boolean)),
    )
  })
}
