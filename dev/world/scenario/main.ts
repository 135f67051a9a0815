// `npm run scenario -- NAME`: plays a life in a world of its own, with the clock, and prints what happened, which events the owner
// was told, and what access the buyer had, as it goes; with --json, as an array of the same once it has ended.
import { enableCompileCache } from 'node:module'
import { endOnSignals, runProgram } from '../../../cli/program.ts'
import { HELP, type Options, readOptions } from './options.ts'
import { play, type Row } from './play.ts'
import { startStage } from './stage.ts'
import { headLines, rowLines } from './table.ts'

enableCompileCache()
endOnSignals()
await runProgram({ help: HELP, readOptions, run })

async function run({ life, processor, json }: Options): Promise<number> {
  await using started = new AsyncDisposableStack()
  const stage = await startStage(started, processor)
  if (json) {
    const rows: Row[] = []
    for await (const row of play(stage, life)) rows.push(row)
    console.log(JSON.stringify(rows, null, 2))
    return 0
  }
  console.log(headLines().join('\n'))
  for await (const row of play(stage, life)) console.log(rowLines(row).join('\n'))
  return 0
}
