// npm run sim: plays lives of people against the whole local world, while calls fail, webhooks get lost and processes are killed, and
// compares the outcome with a model. Prints the shortest history it finds that violates the model.
import { endOnSignals, runProgram } from '../../cli/program.ts'
import { createHistory } from './history.ts'
import { HELP, type Options, readOptions } from './options.ts'
import { selectSteps } from './parts.ts'
import { play } from './play.ts'
import { faultLines, report, reportJson } from './report.ts'
import { shrink } from './shrink.ts'
import { type Stage, startStage } from './stage.ts'

endOnSignals()
await runProgram({ help: HELP, readOptions, run })

/** Returns the exit code: 1 if a history violates an invariant. */
async function run(options: Options): Promise<number> {
  await using started = new AsyncDisposableStack()
  const stage = await startStage(started)
  let held = true
  for (let seed = options.seed; seed < options.seed + options.seeds; seed++) {
    held = (await playAndReport(stage, { ...options, seed })) && held
  }
  return held ? 0 : 1
}

/** Plays the history of a seed and prints the result. Returns whether all invariants held. */
async function playAndReport(stage: Stage, options: Options): Promise<boolean> {
  const { seed, lives, keep, processor, json } = options
  const whole = createHistory(seed, lives, processor && [processor])
  const history = keep === undefined ? whole : selectSteps(whole, keep)
  const startedAt = Date.now()
  const faults = await play(stage, history)
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
  const held = faults.size === 0
  const outcome = held ? 'all held' : 'BROKEN'
  if (!json)
    console.log(
      [`seed ${seed}: ${history.lives.length} lives in ${seconds} s, ${outcome}`, ...faultLines(faults)].join('\n'),
    )
  const broken = held ? null : await shrink(history, faults, (part) => play(stage, part))
  if (json) {
    const played = { seed, lives: history.lives.length, seconds: Number(seconds), held }
    console.log(JSON.stringify({ ...played, broken: broken && reportJson(broken, options) }))
  } else if (broken) console.log(report(broken, options))
  return held
}
