import { type ParseArgsConfig, parseArgs } from 'node:util'
import { CommandError } from './command.ts'
import { didYouMean } from './did-you-mean.ts'

/**
 * Node's `parseArgs`. Throws a `CommandError` if the arguments do not match `config`, with a suggestion for an unknown option and the
 * `usage` lines.
 */
export function parseArguments<const Config extends ParseArgsConfig>(
  config: Config,
  usage: string[],
): ReturnType<typeof parseArgs<Config>> {
  const unknown = unknownOptions(config)
  if (unknown.length > 0) throw new CommandError([...unknown, ...usage])
  try {
    return parseArgs(config)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new CommandError([error.message, ...usage], { cause: error })
  }
}

/** An error message for each. */
function unknownOptions({ args, options = {} }: ParseArgsConfig): string[] {
  const { tokens } = parseArgs({ ...(args && { args }), options, strict: false, allowPositionals: true, tokens: true })
  return tokens.flatMap((token) => {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) return []
    return [`unknown option ${token.rawName}${didYouMean(token.name, Object.keys(options), '--')}`]
  })
}
