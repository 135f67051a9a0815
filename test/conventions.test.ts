import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'
import { ENDPOINTS } from '../dev/tools/openapi/operations.ts'
import { readWorkerConfigs } from '../dev/world/workers/wrangler-config.ts'

const root = join(import.meta.dirname, '..')
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
const sources = tracked.filter((file) => /\.tsx?$/.test(file) && !file.includes('generated/'))
const text = (file: string) => readFileSync(join(root, file), 'utf8')
const lines = (file: string) => text(file).split('\n')

/** Which other top-level folders each one may import. */
const MAY_IMPORT: Record<string, string[]> = {
  lib: [],
  functions: ['lib'],
  cli: ['lib'],
  demo: [],
  dev: ['cli', 'demo', 'functions', 'lib'],
  bench: ['cli', 'dev'],
  test: ['bench', 'cli', 'demo', 'dev', 'functions', 'lib'],
}

describe('imports', () => {
  const imports = sources.flatMap((file) =>
    [...text(file).matchAll(/(import type [^']*?)?(?:from|import\()\s*'(\.[^']+)'/g)].map(([, type, to]) => ({
      file,
      to: normalize(join(dirname(file), to!)),
      isType: type !== undefined,
    })),
  )

  /** The files loaded at run time by these files, including themselves: an `import type` loads nothing. */
  function reachedFrom(files: string[]): string[] {
    const reached = new Set(files)
    for (const from of reached) {
      const loaded = imports.filter(({ file, isType }) => file === from && !isType)
      for (const { to } of loaded) reached.add(to)
    }
    return [...reached]
  }

  test('between top-level folders point in one direction, such as from functions to lib', () => {
    const wrong = imports.filter(({ file, to }) => {
      const [from, target] = [file.split('/')[0]!, to.split('/')[0]!]
      return from in MAY_IMPORT && target in MAY_IMPORT && from !== target && !MAY_IMPORT[from]!.includes(target)
    })
    expect(wrong).toEqual([])
  })

  test('between the folders of dev point in one direction: from tools to world to emulators', () => {
    const order = ['tools', 'world', 'emulators']
    const folderRank = (file: string) => order.indexOf(file.split('/')[1]!)
    const within = imports.filter(({ file, to }) => file.startsWith('dev/') && to.startsWith('dev/'))
    expect(within.filter(({ file, to }) => folderRank(file) < 0 || folderRank(file) > folderRank(to))).toEqual([])
  })

  test('from dev to functions exist only in the OpenAPI generator, which imports only contracts', () => {
    const known = imports.filter(({ file, to }) => file.startsWith('dev/') && to.startsWith('functions/'))
    const wrong = known.filter(
      ({ file, to }) => !(file.startsWith('dev/tools/openapi/') && to.endsWith('/contract.ts')),
    )
    expect(wrong).toEqual([])
  })

  test('of the pages Worker include neither the database driver, nor authentication, nor processor adapters', () => {
    const reached = reachedFrom(['functions/pages/worker.ts'])
    expect(reached.filter((file) => /^lib\/(db|auth)\/|\/adapters?\.ts$/.test(file))).toEqual([])
  })

  test('of the gateway and the docs Worker include neither the database driver nor a processor', () => {
    const reached = reachedFrom(['functions/gateway/worker.ts', 'functions/docs/worker.ts'])
    expect(reached.filter((file) => /^lib\/(db|processors)\//.test(file))).toEqual([])
    expect(reached, 'imports are followed').toContain('lib/log/log.ts')
    const parsing = reachedFrom(['functions/gateway/worker.ts']).filter((file) =>
      /^import [{*].*'zod'/m.test(text(file)),
    )
    expect(parsing, 'the gateway handles every request, so it does not load the parser').toEqual([])
  })

  test('of the table of operations include neither vitest nor dev, so that it can be published', () => {
    const table = tracked.filter((file) => /^test\/operations\/.*(?<!\.test)\.ts$/.test(file))
    const reached = reachedFrom(table)
    expect(reached.filter((file) => !/^(test\/operations|generated)\//.test(file))).toEqual([])
    expect(table.filter((file) => /from '(vitest|node:)/.test(text(file)))).toEqual([])
  })

  test('between functions do not exist', () => {
    const wrong = imports.filter(
      ({ file, to }) =>
        file.startsWith('functions/') && to.startsWith('functions/') && file.split('/')[1] !== to.split('/')[1],
    )
    expect(wrong).toEqual([])
  })

  test('form no cycle between the folders of lib', () => {
    const folders = new Map<string, Set<string>>()
    const within = imports.filter(({ file, to }) => file.startsWith('lib/') && to.startsWith('lib/'))
    for (const { file, to } of [...within, ...callsInSql()]) {
      const [from = '', target = ''] = [file, to].map((path) => path.split('/')[1])
      if (from !== target) folders.set(from, (folders.get(from) ?? new Set()).add(target))
    }
    expect(folders.get('purchases'), 'calls between database functions count').toContain('tokens')
    const reached = (from: string): Set<string> => {
      const found = new Set(folders.get(from))
      for (const each of found) for (const next of folders.get(each) ?? []) found.add(next)
      return found
    }
    expect([...folders.keys()].filter((folder) => reached(folder).has(folder))).toEqual([])
  })

  /** The calls between database functions of lib. */
  function callsInSql(): { file: string; to: string }[] {
    const files = tracked.filter((file) => /^lib\/.*\.sql$/.test(file)).map((file) => ({ file, sql: text(file) }))
    const created = files.flatMap(({ file, sql }) =>
      [...sql.matchAll(/^create function (\w+)/gm)].map(([, name]) => [name!, file] as const),
    )
    const fileByFunction = new Map(created)
    return files.flatMap(({ file, sql }) =>
      [...sql.replaceAll(/--.*$/gm, '').matchAll(/\b(\w+)\(/g)].flatMap(([, name]) => {
        const to = fileByFunction.get(name!)
        return to ? [{ file, to }] : []
      }),
    )
  }

  test('form no cycle between files, including type imports', () => {
    const edges = imports.filter(({ file }) => /^(lib|functions|cli|dev|bench|test)\//.test(file))
    const getImports = Map.groupBy(edges, ({ file }) => file)
    const reachableFrom = (start: string): Set<string> => {
      const reached = new Set<string>()
      const open = [start]
      for (let file = open.pop(); file !== undefined; file = open.pop()) {
        for (const { to } of getImports.get(file) ?? []) {
          if (!reached.has(to)) open.push(to)
          reached.add(to)
        }
      }
      return reached
    }
    const reachable = new Map([...getImports.keys()].map((file) => [file, reachableFrom(file)]))
    const reaches = (from: string, to: string) => reachable.get(from)?.has(to) === true

    // Two files are in the same cycle if each reaches the other. A cycle is identified by its first file.
    const circular = [...reachable.keys()].filter((file) => reaches(file, file)).toSorted()
    const cycles = Map.groupBy(circular, (file) =>
      circular.find((other) => reaches(file, other) && reaches(other, file)),
    )
    const importsWithin = (files: string[]) =>
      edges
        .filter(({ file, to }) => files.includes(file) && files.includes(to))
        .map(({ file, to }) => `${file} -> ${to}`)
    expect([...cycles.values()].map(importsWithin)).toEqual([])
  })
})

describe('files', () => {
  test('are neither barrels nor collections of utilities', () => {
    expect(sources.filter((file) => /(^|\/)(index|utils?|helpers?|common|misc)\.tsx?$/.test(file))).toEqual([])
  })

  test('are named in kebab-case', () => {
    expect(sources.filter((file) => !/^[a-z0-9-]+(\.[a-z0-9-]+)*\.tsx?$/.test(file.split('/').at(-1)!))).toEqual([])
  })

  test('contain no to-do comments and no commented-out code', () => {
    const wrong = sources.flatMap((file) =>
      lines(file)
        .filter((line) => /\b(TO[D]O|FIX[M]E|X[X]X)\b/.test(line) || /^\s*\/\/.*[;{]\s*$/.test(line))
        .map((line) => `${file}: ${line}`),
    )
    expect(wrong).toEqual([])
  })

  test('contain no registry URL and no path of a particular machine', () => {
    const wrong = tracked.filter(
      (file) => !file.startsWith('test/') && /\.\.\/shared\/|\/work\/|registry\.npmjs/.test(text(file)),
    )
    expect(wrong).toEqual([])
  })
})

describe('code', () => {
  test('of Workers contains no SQL: it is in .sql files', () => {
    const wrong = sources.filter(
      (file) =>
        /^(functions|lib)\//.test(file) &&
        /\bsql(<[^`]*>)?`|\.(selectFrom|insertInto|updateTable|deleteFrom)\(|from 'kysely'/.test(text(file)),
    )
    expect(wrong).toEqual([])
  })

  test('uses the query builder only in cli', () => {
    const builders = sources
      .filter((file) => /^(import|}) .*'kysely/m.test(text(file)))
      .map((file) => file.split('/')[0])
    expect([...new Set(builders)]).toEqual(['cli'])
  })

  test('in lib does not create API errors, except in lib/http and lib/endpoint/app.ts', () => {
    const httpFiles = ['errors', 'base-app', 'idempotency', 'parse', 'until-decided'].map(
      (name) => `lib/http/${name}.ts`,
    )
    const allowed = [...httpFiles, 'lib/endpoint/app.ts']
    const wrong = sources.filter(
      (file) => file.startsWith('lib/') && !allowed.includes(file) && /new ApiError/.test(text(file)),
    )
    expect(wrong).toEqual([])
  })

  test('has no empty catch block', () => {
    const wrong = sources.filter((file) => /catch\s*(\([^)]*\))?\s*\{\s*\}/.test(text(file)))
    expect(wrong).toEqual([])
  })

  test('does not spread an object literal, as in `{ ...{ a, b } }`', () => {
    expect(sources.filter((file) => /\.\.\.\{/.test(text(file).replaceAll('`{ ...{ a, b } }`', '')))).toEqual([])
  })

  test('has no any', () => {
    expect(sources.filter((file) => /(:\s*a[n]y\b|<a[n]y>|\bas a[n]y\b)/.test(text(file)))).toEqual([])
  })

  test('of tests skips none, leaves none to be written, and runs no single one', () => {
    const marks = /\b(test|describe|it)(\.\w+)*\.(skip|skipIf|runIf|todo|only)\b|\.skip\(|\b(skip|todo|only): true/
    expect(sources.filter((file) => file.startsWith('test/') && marks.test(text(file)))).toEqual([])
  })

  test('of conformance tests never returns early: a test is run only for the processors that it applies to', () => {
    const early = /^ +(if \(.*\) )?return( \/\/.*)?$/m
    const tests = sources.filter((file) => /^test\/conformance\/[^/]+\.test\.ts$/.test(file))
    expect(tests.filter((file) => early.test(text(file)))).toEqual([])
  })
})

describe('Workers', () => {
  const folders = [
    ...new Set(sources.filter((file) => file.startsWith('functions/')).map((file) => file.split('/')[1]!)),
  ]
  const environments = [...text('wrangler.toml').matchAll(/^\[env\.([\w-]+)\]$/gm)].map(([, name]) => name!)
  const config = (env: string) => readConfig({ config: join(root, 'wrangler.toml'), env })

  test('each have a folder with a worker.ts, and an environment in wrangler.toml', () => {
    expect(environments.toSorted()).toEqual(folders.toSorted())
    expect(environments.map((env) => config(env).main)).toEqual(
      environments.map((env) => join(root, 'functions', env, 'worker.ts')),
    )
  })

  test('with a contract are bound to the gateway, and included in the OpenAPI document', () => {
    const contracts = tracked.flatMap((file) => /^functions\/([\w-]+)\/contract\.ts$/.exec(file)?.[1] ?? [])
    const services = readWorkerConfigs()
      .find(({ env }) => env === 'gateway')
      ?.services.map(({ service }) => service.replace('paywall-', ''))
    expect(services?.toSorted()).toEqual(contracts.toSorted())
    expect(Object.keys(ENDPOINTS).toSorted()).toEqual(contracts.toSorted())
  })

  test('have no workers.dev or preview URL, and only the gateway has routes', () => {
    expect(environments.filter((env) => config(env).workers_dev !== false || config(env).preview_urls)).toEqual([])
    expect(environments.filter((env) => config(env).routes !== undefined && env !== 'gateway')).toEqual([])
  })

  test('have only the secrets that they need', () => {
    const holders = (secret: string) =>
      environments.filter((env) => config(env).secrets?.required?.includes(secret)).toSorted()
    expect(holders('ACCESS_TOKEN_PRIVATE_KEY')).toEqual(['sign-in'])
    expect(holders('SIGN_IN_CODE_KEY')).toEqual(['sign-in'])
    expect(holders('CONSOLE_CODE_KEY')).toEqual(['console'])
    expect(holders('WEBHOOK_SECRETS_KEY')).toEqual(['deliver-events'])
    expect(holders('PROCESSOR_CREDENTIALS_KEY')).toEqual(['processors'])
    expect(holders('TURNSTILE_SECRETS_KEY')).toEqual(['sign-in'])
    expect(holders('DATABASE_URL')).not.toContain('gateway')
    expect(config('pages').secrets).toBeUndefined()
  })
})
