// How the programs beside the `paywall` command begin and end: `npm run dev`, `scenario`, `sim` and `bench`.
import { CommandError } from './command.ts'

interface Program<Options> {
  help: string
  /** What the command line says; null if it asks for help. Throws a `CommandError` for what is wrong with it. */
  readOptions(args: string[]): Options | null
  /** Gives the exit code. */
  run(options: Options): Promise<number>
}

/**
 * Runs a program, and ends the process with its exit code; with 1 if it fails. Why it failed is said on stderr. With `--json` it is
 * printed as `{"errors": […]}`, as by the `paywall` command.
 */
export async function runProgram<Options>({ help, readOptions, run }: Program<Options>): Promise<never> {
  const args = process.argv.slice(2)
  const isJson = args.includes('--json')
  try {
    const options = readOptions(args)
    if (options) process.exit(await run(options))
    console.log(isJson ? JSON.stringify({ help }) : help)
    process.exit(0)
  } catch (error) {
    const known = error instanceof CommandError ? error.sentences : null
    if (isJson) console.log(JSON.stringify({ errors: known ?? [`this should not have happened: ${error}`] }))
    if (!known) console.error(error)
    else if (!isJson) console.error(known.join('\n'))
    process.exit(1)
  }
}

/** Ends the process when a signal asks for it: with it go the worlds that it has started, and what `exit` listeners remove. */
export function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
}
