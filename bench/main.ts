// npm run bench: reads the command line, runs the benchmark that it names, prints it and writes its result file.
// Each benchmark starts worlds of its own on 127.0.0.1, bounds its time, and leaves nothing running.

import { endOnSignals, runProgram } from '../cli/program.ts'
import { HELP, type Options, readOptions } from './options.ts'
import { busyWarning, origin, writeResult } from './report/result-file.ts'

/** Loaded when it is run: each brings other parts of the project. */
const BENCHMARKS = {
  endpoints: async () => (await import('./runs/endpoints.ts')).benchEndpoints,
  load: async () => (await import('./runs/load.ts')).benchLoad,
  growth: async () => (await import('./runs/growth.ts')).benchGrowth,
  events: async () => (await import('./runs/events.ts')).benchEvents,
  memory: async () => (await import('./runs/memory.ts')).benchMemory,
}

endOnSignals()
await runProgram({ help: HELP, readOptions, run })

async function run(options: Options): Promise<number> {
  const warning = busyWarning()
  if (warning) console.error(warning)
  const say = options.json ? () => undefined : console.log
  const measure = await BENCHMARKS[options.what]()
  const { commits, result } = await measure(options, say)
  const document = { ...origin(options, commits), ...result }
  const path = writeResult(options, 'json', `${JSON.stringify(document, null, 1)}\n`)
  console.log(options.json ? JSON.stringify({ ...document, written_to: path }, null, 2) : `\nwritten to ${path}`)
  return 0
}
