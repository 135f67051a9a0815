// npm run bench: runs the benchmark named on the command line, prints the results and writes the result file.
// Each benchmark starts its own worlds on 127.0.0.1, limits its duration, and stops everything it started.

import { endOnSignals, runProgram } from '../cli/program.ts'
import { HELP, type Options, readOptions } from './options.ts'
import { busyWarning, origin, writeResult } from './report/result-file.ts'

/** Loaded on demand, because each imports other parts of the project. */
const BENCHMARKS = {
  endpoints: async () => (await import('./runs/endpoints.ts')).benchEndpoints,
  load: async () => (await import('./runs/load.ts')).benchLoad,
  growth: async () => (await import('./runs/growth.ts')).benchGrowth,
  events: async () => (await import('./runs/events.ts')).benchEvents,
  console: async () => (await import('./runs/console.ts')).benchConsole,
  memory: async () => (await import('./runs/memory.ts')).benchMemory,
}

endOnSignals()
await runProgram({ help: HELP, readOptions, run })

async function run(options: Options): Promise<number> {
  const warning = busyWarning()
  if (warning) console.error(warning)
  const printLine = options.json ? () => undefined : console.log
  const measure = await BENCHMARKS[options.what]()
  const { commits, result } = await measure(options, printLine)
  const document = { ...origin(options, commits), ...result }
  const path = writeResult(options, 'json', `${JSON.stringify(document, null, 1)}\n`)
  console.log(options.json ? JSON.stringify({ ...document, written_to: path }, null, 2) : `\nwritten to ${path}`)
  return 0
}
