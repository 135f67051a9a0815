import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** The database functions of this tree: what the Workers call, and what those are made of. */
export interface FunctionFiles {
  /** The schema that they are installed in, named by the hash of all of them: `release_` and 16 hex digits. */
  release: string
  files: { path: string; text: string }[]
}

/** Reads every `.sql` file beside a Worker and in lib, in the order of their paths. */
export function readFunctionFiles(): FunctionFiles {
  const files = globSync(['functions/**/*.sql', 'lib/**/*.sql'], { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
  const hash = createHash('sha256')
  for (const { path, text } of files) hash.update(`${path}\0${text}\0`)
  return { release: `release_${hash.digest('hex').slice(0, 16)}`, files }
}
