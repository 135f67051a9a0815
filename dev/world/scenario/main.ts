// `npm run scenario -- NAME`: plays a life in a world of its own, with the clock, and prints what happened, which events the owner
// was told, and what access the buyer had, as it goes; with --json, as an array of the same once it has ended.
import { enableCompileCache } from 'node:module'
import { CommandError } from '../../../cli/command.ts'
import { HELP, type Options, readOptions } from './options.ts'
import { play, type Row } from './play.ts'
import { startStage } from './stage.ts'
import { headLines, rowLines } from './table.ts'

enableCompileCache()

// Ends the world, which ends with us, and removes what `exit` listeners remove.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

try {
  const options = readOptions(process.argv.slice(2))
  if (options) await run(options)
  else console.log(HELP)
} catch (error) {
  console.error(error instanceof CommandError ? error.sentences.join('\n') : error)
  process.exitCode = 1
}
process.exit()

async function run({ life, processor, json }: Options): Promise<void> {
  await using started = new AsyncDisposableStack()
  const stage = await startStage(started, processor)
  if (json) {
    const rows: Row[] = []
    for await (const row of play(stage, life)) rows.push(row)
    console.log(JSON.stringify(rows, null, 2))
    return
  }
  console.log(headLines().join('\n'))
  for await (const row of play(stage, life)) console.log(rowLines(row).join('\n'))
}
