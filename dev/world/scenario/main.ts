// `npm run scenario -- NAME`: runs a scenario in a separate world by moving its clock. Prints each step with the owner's events and the
// buyer's access, then the processor's charges by month. --all plays it at every processor, and prints the charges and the owner's events
// by month for each. --json prints one document at the end.
import { enableCompileCache } from 'node:module'
import { endOnSignals, runProgram } from '../../../cli/program.ts'
import { HELP, type Options, readOptions } from './options.ts'
import { type Played, play } from './play.ts'
import { type Stage, startStages } from './stage.ts'
import type { Scenario } from './steps.ts'
import { headLines, monthLines, rowLines, summaryLines } from './table.ts'

enableCompileCache()
endOnSignals()
await runProgram({ help: HELP, readOptions, run })

async function run({ scenario, processors, isAll, json }: Options): Promise<number> {
  await using started = new AsyncDisposableStack()
  const stages = await startStages(started, processors)
  const playAt = json ? play : isAll ? playInBrief : playInATable
  const played: Played[] = []
  for (const stage of stages) played.push(await playAt(stage, scenario))
  if (json) console.log(JSON.stringify(isAll ? played : played[0], null, 2))
  return 0
}

async function playInATable(stage: Stage, scenario: Scenario): Promise<Played> {
  console.log(headLines().join('\n'))
  const played = await play(stage, scenario, (row) => console.log(rowLines(row).join('\n')))
  console.log(['', ...monthLines(played.months)].join('\n'))
  return played
}

async function playInBrief(stage: Stage, scenario: Scenario): Promise<Played> {
  const played = await play(stage, scenario)
  console.log(summaryLines(played).join('\n'))
  return played
}
