import { applyFile } from '../apply.ts'
import type { Command } from '../command.ts'
import { withDatabase } from '../database.ts'
import { readFileArgument } from '../read-file.ts'
import { report } from '../report.ts'
import { enterLocalWorld, required, sealingKeys } from '../surroundings.ts'

export const apply: Command = {
  name: 'apply',
  usage: 'apply FILE',
  summary: 'make the database say what the file says',
  async run(args) {
    enterLocalWorld()
    const file = await readFileArgument(args)
    const sealing = sealingKeys()
    const applied = await withDatabase(required('DATABASE_URL'), (pool) => applyFile(pool, file, sealing))
    await report(file, applied, { nothing: 'Nothing to change.', heading: 'Changed:' })
    for (const { what, secret } of applied.made) {
      console.log(`\nThe secret of ${what}, shown this once:\n  ${secret}`)
    }
  },
}
