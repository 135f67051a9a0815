import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withClient } from '../../cli/database.ts'

const FOLDER = join(import.meta.dirname, '../migrations')

/** Gives an empty database the tables and functions from before there were migrations, as its owner made them. */
export async function withOldSchema(url: string, { filled = false } = {}): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(readFileSync(join(FOLDER, 'schema-before-releases.sql'), 'utf8'))
    if (filled) await client.query(readFileSync(join(FOLDER, 'fill-before-releases.sql'), 'utf8'))
  })
}
