import { planFile } from '../apply.ts'
import type { Command } from '../command.ts'
import { withDatabase } from '../database.ts'
import { readFileArgument } from '../read-file.ts'
import { report } from '../report.ts'
import { enterLocalWorld, required, sealingKeys } from '../surroundings.ts'

export const plan: Command = {
  name: 'plan',
  usage: 'plan FILE',
  summary: 'show what apply would change, and the versions to come; change nothing',
  async run(args) {
    enterLocalWorld()
    const file = await readFileArgument(args)
    const sealing = sealingKeys()
    const planned = await withDatabase(required('DATABASE_URL'), (pool) => planFile(pool, file, sealing))
    await report(file, planned, { nothing: 'Nothing to change.', heading: 'To change:' })
  },
}
