// npm run bench: reads the command line, runs the benchmark that it names, prints it and writes its result file.
// Each benchmark starts worlds of its own on 127.0.0.1, bounds its time, and leaves nothing running.

import { CommandError } from '../cli/command.ts'
import { HELP, type Options, readOptions } from './options.ts'
import { busyWarning, origin, writeResult } from './report/result-file.ts'

/** Loaded when it is run: each brings other parts of the project. */
const BENCHMARKS = {
  endpoints: async (options: Options) => (await import('./runs/endpoints.ts')).benchEndpoints(options),
  load: async (options: Options) => (await import('./runs/load.ts')).benchLoad(options),
  growth: async (options: Options) => (await import('./runs/growth.ts')).benchGrowth(options),
  events: async (options: Options) => (await import('./runs/events.ts')).benchEvents(options),
  memory: async (options: Options) => (await import('./runs/memory.ts')).benchMemory(options),
}

// Ends the worlds, which end with us, and removes what `exit` listeners remove.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

try {
  const options = readOptions(process.argv.slice(2))
  if (options) await run(options)
  else console.log(HELP)
} catch (error) {
  console.error(error instanceof CommandError ? error.sentences.join('\n') : error)
  process.exitCode = 1
}

async function run(options: Options): Promise<void> {
  const warning = busyWarning()
  if (warning) console.error(warning)
  const { commits, result } = await BENCHMARKS[options.what](options)
  const path = writeResult(options, 'json', `${JSON.stringify({ ...origin(options, commits), ...result }, null, 1)}\n`)
  console.log(`\nwritten to ${path}`)
}
