// npm run sim: plays lives of people against the whole local world, while calls fail, webhooks get lost and processes are
// killed, and compares what comes of them with a model. Prints the shortest history that breaks it.
import { CommandError } from '../../cli/command.ts'
import { historyOf } from './history.ts'
import { HELP, type Options, readOptions } from './options.ts'
import { kept } from './parts.ts'
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
async function run(options: Options): Promise<boolean> {
  await using started = new AsyncDisposableStack()
  const stage = await startStage(started)
  let held = true
  for (let seed = options.seed; seed < options.seed + options.seeds; seed++) {
    held = (await tell(stage, { ...options, seed })) && held
  }
  return held
}

async function tell(stage: Stage, options: Options): Promise<boolean> {
  const { seed, lives, keep, processor } = options
  const whole = historyOf(seed, lives, processor && [processor])
  const history = keep === undefined ? whole : kept(whole, keep)
  const startedAt = Date.now()
  const faults = await play(stage, history)
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
  const outcome = faults.size === 0 ? 'all held' : 'BROKEN'
  console.log(`seed ${seed}: ${history.lives.length} lives in ${seconds} s, ${outcome}`)
  if (faults.size === 0) return true
  console.log(report(await shrink(history, faults, (part) => play(stage, part)), options))
  return false
}
