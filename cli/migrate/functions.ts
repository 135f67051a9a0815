import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../refusal.ts'
import { ROLES, type WorkerRole } from './roles.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A release of database functions: what the Workers of one tree call. */
export interface Release {
  /** The schema that it is installed in: `release_` and 16 hex digits, the hash of all its files. */
  name: string
  files: { path: string; text: string }[]
  /** Who may execute what. */
  roles: WorkerRole[]
}

/** The release of this tree: every `.sql` file beside a Worker and in lib, in the order of their paths. */
export function readRelease(): Release {
  const files = globSync(['functions/**/*.sql', 'lib/**/*.sql'], { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
  return { name: nameOf(files), files, roles: ROLES }
}

/** The same, for whoever deploys or starts the Workers. Throws a `Refusal` if they would call another release. */
export function readCalledRelease(release = readRelease()): Release {
  const called = /'(release_[0-9a-f]{16})'/.exec(readFileSync(join(ROOT, 'generated/calls.ts'), 'utf8'))?.[1]
  if (called !== release.name) {
    throw new Refusal([`the Workers call ${called}, but the .sql files make ${release.name}: run npm run generate`])
  }
  return release
}

/** What a release of these files is called. */
export function nameOf(files: Release['files']): string {
  const hash = createHash('sha256')
  for (const { path, text } of files) hash.update(`${path}\0${text}\0`)
  return `release_${hash.digest('hex').slice(0, 16)}`
}
