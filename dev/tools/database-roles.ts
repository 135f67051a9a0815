import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readWorkerConfigs } from '../world/workers/wrangler-config.ts'

const ROOT = join(import.meta.dirname, '../..')
const CALLS = join(ROOT, 'generated/calls.ts')

/**
 * Generates `generated/roles.json`: the database role of each Worker that has a DATABASE_URL, with the functions that it may
 * execute, which are those whose calls its code imports.
 */
export function databaseRoles(): string {
  const roles = readWorkerConfigs()
    .filter(({ secrets }) => secrets.includes('DATABASE_URL'))
    .map(({ env, main }) => ({
      env,
      role: `paywall_${env.replaceAll('-', '_')}`,
      functions: [...listCalls(main)].map(snakeCase).toSorted(),
    }))
  return `${JSON.stringify(roles, null, 2)}\n`
}

/** The names that a file imports from generated/calls.ts, directly or through its imports. */
function listCalls(file: string, files = new Set<string>(), calls = new Set<string>()): Set<string> {
  if (files.has(file)) return calls
  files.add(file)
  for (const [, names = '', path = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    const imported = join(dirname(file), path)
    if (imported === CALLS) for (const name of namesIn(names)) calls.add(name)
    else if (imported.endsWith('.ts') && existsSync(imported)) listCalls(imported, files, calls)
  }
  return calls
}

/** Ignores type imports, which do not exist at run time. */
const IMPORT = /import\s+(?!type\b)(?:\{([^}]*)\}\s+from\s+)?'(\.[^']+)'/g

function namesIn(names: string): string[] {
  return names.split(',').flatMap((name) => name.trim().split(/\s+as\s+/)[0] || [])
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
