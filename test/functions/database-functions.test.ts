import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readRelease } from '../../cli/migrate/release.ts'
import roles from '../../generated/roles.json' with { type: 'json' }
import { sqlFunctions, withCallees } from '../support/sql-functions.ts'

const functions = sqlFunctions()
const all = [...functions.values()]
const entries = all.filter(({ isEntry }) => isEntry)
/** The functions that the `paywall` command calls. */
const calledByCommand = () =>
  globSync('cli/**/*.ts').flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bselect (\w+)\(/g)].map(([, name = '']) => name),
  )
const getPath = (name: string) => `${name.replaceAll('_', '-')}.sql`

describe('database functions', () => {
  test('are parsed from the files, with their calls and verdicts', () => {
    expect(functions.get('withdraw_tokens')).toMatchObject({
      path: 'functions/withdraw-tokens/withdraw-tokens.sql',
      isEntry: true,
      calls: expect.arrayContaining(['add_tokens', 'lock_member']),
      decides: ['no_balance', 'unknown_type', 'changed'],
    })
    expect(functions.get('find_member')).toMatchObject({ isEntry: false, decides: ['unknown_identity', 'not_member'] })
  })

  test('have unique names, and are all checked here', () => {
    const created = readRelease().files.flatMap(({ text }) => [...text.matchAll(/\bcreate\b.*\bfunction\b/gi)])
    expect(created).toHaveLength(functions.size)
  })

  test('that Workers call are in a file of their name, in the folder of the Worker or in lib', () => {
    const wrong = entries.filter(({ name, path }) => !path.endsWith(`/${getPath(name)}`))
    expect(wrong.map(({ name, path }) => `${name} in ${path}`)).toEqual([])
    expect(entries.filter(({ path }) => !/^(functions\/[\w-]+|lib\/[\w-]+)\/[\w-]+\.sql$/.test(path))).toEqual([])
  })

  test('in the folder of a Worker are called only from there', () => {
    const wrong = all.flatMap(({ path, calls }) =>
      calls.filter((name) => {
        const called = functions.get(name)!.path
        return called.startsWith('functions/') && dirname(called) !== dirname(path)
      }),
    )
    expect(wrong).toEqual([])
    const callers = roles.flatMap((role) =>
      role.functions.map((name) => ({ env: role.env, path: functions.get(name)?.path })),
    )
    expect(
      callers.filter(({ env, path }) => path?.startsWith('functions/') && !path.startsWith(`functions/${env}/`)),
    ).toEqual([])
  })

  test('in lib are called by more than one Worker', () => {
    const usersByPath = new Map<string, Set<string>>()
    for (const { env, functions: called } of roles) {
      for (const name of called) {
        for (const { path } of withCallees(functions.get(name)!, functions)) {
          usersByPath.set(path, (usersByPath.get(path) ?? new Set()).add(env))
        }
      }
    }
    const few = [...usersByPath].filter(([path, users]) => path.startsWith('lib/') && users.size < 2)
    expect(few.map(([path, users]) => `${path}: ${[...users]}`)).toEqual([])
  })

  test('are all called by Workers or by the command', () => {
    const called = new Set([...roles.flatMap((role) => role.functions), ...calledByCommand()])
    const reachable = all.filter(({ name }) => called.has(name)).flatMap((entry) => withCallees(entry, functions))
    expect(all.filter((each) => !reachable.includes(each)).map(({ name }) => name)).toEqual([])
  })
})
