// The entry point of the programs beside the `paywall` command: `npm run dev`, `scenario`, `sim` and `bench`.
import { CommandError } from './command.ts'

interface Program<Options> {
  help: string
  /** Parses the command line; null if it asks for help. Throws a `CommandError` if it is invalid. */
  readOptions(args: string[]): Options | null
  /** Returns the exit code. */
  run(options: Options): Promise<number>
}

/**
 * Runs a program and exits with its code, or with 1 if it fails. Errors go to stderr; with `--json` they are printed as
 * `{"errors": […]}`, as by the `paywall` command.
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
    const known = error instanceof CommandError ? error.messages : null
    if (isJson) console.log(JSON.stringify({ errors: known ?? [`internal error: ${error}`] }))
    if (!known) console.error(error)
    else if (!isJson) console.error(known.join('\n'))
    process.exit(1)
  }
}

/** Exits on SIGINT and SIGTERM, so that `exit` listeners stop the local worlds and clean up. */
export function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
}
