import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Where the parts of the local world are in a tree. The later ones are of older commits. */
const LAYOUTS = [
  {
    world: 'dev/world/world.ts',
    postgres: 'dev/world/database/postgres.ts',
    database: 'dev/world/database/database.ts',
    secrets: 'dev/world/secrets.ts',
    file: 'cli/paywall-file/file.ts',
  },
  {
    world: 'dev/world.ts',
    postgres: 'dev/postgres.ts',
    database: 'dev/database.ts',
    secrets: 'dev/secrets.ts',
    file: 'lib/paywall/file.ts',
  },
]

/** The parts of the local world of the tree in `root`, typed as they are in this one. */
export async function importWorld(root: string) {
  const layout = LAYOUTS.find(({ world }) => existsSync(join(root, world)))
  if (!layout) throw new Error(`no local world that this benchmark knows is in ${root}`)
  const module = (path: string) => import(pathToFileURL(join(root, path)).href)
  const world: typeof import('../../dev/world/world.ts') = await module(layout.world)
  const postgres: typeof import('../../dev/world/database/postgres.ts') = await module(layout.postgres)
  const database: Database = await module(layout.database)
  const secrets: typeof import('../../dev/world/secrets.ts') = await module(layout.secrets)
  const file: typeof import('../../cli/paywall-file/file.ts') = await module(layout.file)
  return { ...world, ...postgres, ...database, ...secrets, ...file, prepare: preparing(database) }
}

/** The module as it is in this tree; before databases had roles and releases, it had `ensureSchema` alone. */
type Database = typeof import('../../dev/world/database/database.ts') & {
  ensureSchema?: (url: string) => Promise<void>
}

/** How the tree brings a fresh database to what its Workers need. */
function preparing({ ensureSchema, prepareDatabase }: Database): (url: string, rolesKey: string) => Promise<void> {
  return ensureSchema ?? prepareDatabase
}
