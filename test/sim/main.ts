// npm run sim: plays lives of people against the whole local world, while calls fail, webhooks get lost and processes are
// killed, and compares what comes of them with a model. Prints the shortest history that breaks it.
import { CommandError } from '../../cli/command.ts'
import { historyOf } from './history.ts'
import { HELP, type Options, readOptions } from './options.ts'
import { kept, type PartialHistory } from './parts.ts'
import { play } from './play.ts'
import { report } from './report.ts'
import { shrink } from './shrink.ts'
import { type Stage, startStage } from './stage.ts'

// Ends the world, which ends with us, and removes what `exit` listeners remove.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

try {
  const options = readOptions(process.argv.slice(2))
  if (!options) console.log(HELP)
  else process.exitCode = (await run(options)) ? 0 : 1
} catch (error) {
  console.error(error instanceof CommandError ? error.sentences.join('\n') : error)
  process.exitCode = 1
}
process.exit()

/** Whether every history held. */
async function run({ seed, lives, seeds, keep }: Options): Promise<boolean> {
  await using started = new AsyncDisposableStack()
  const stage = await startStage(started)
  let held = true
  for (let each = seed; each < seed + seeds; each++) {
    const history: PartialHistory = keep === undefined ? historyOf(each, lives) : kept(historyOf(each, lives), keep)
    held = (await tell(stage, history, lives)) && held
  }
  return held
}

async function tell(stage: Stage, history: PartialHistory, lives: number): Promise<boolean> {
  const startedAt = Date.now()
  const faults = await play(stage, history)
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
  console.log(
    `seed ${history.seed}: ${history.lives.length} lives in ${seconds} s, ${faults.size === 0 ? 'all held' : 'BROKEN'}`,
  )
  if (faults.size === 0) return true
  console.log(report(await shrink(history, faults, (part) => play(stage, part)), lives))
  return false
}
