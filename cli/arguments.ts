import { type ParseArgsConfig, parseArgs } from 'node:util'
import { CommandError } from './command.ts'
import { didYouMean } from './did-you-mean.ts'

/**
 * Node's `parseArgs`. Throws a `CommandError` if the arguments are others than `config` says: an unknown option is answered by the
 * one that was probably meant. `usage` says how it is done, in sentences that follow.
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

/** A sentence for each. */
function unknownOptions({ args, options = {} }: ParseArgsConfig): string[] {
  const { tokens } = parseArgs({ ...(args && { args }), options, strict: false, allowPositionals: true, tokens: true })
  return tokens.flatMap((token) => {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) return []
    return [`there is no option ${token.rawName}${didYouMean(token.name, Object.keys(options), '--')}`]
  })
}

/**
 * The one of `choices` that is called `name`. Throws a `CommandError` if there is none: a misspelt name is answered by the one that
 * was probably meant, any other by `usage`.
 */
export function choose<Choice>(name: string | undefined, choices: Record<string, Choice>, usage: string[]): Choice {
  const choice = name !== undefined && Object.hasOwn(choices, name) ? choices[name] : undefined
  if (choice !== undefined) return choice
  const suggestion = name === undefined ? '' : didYouMean(name, Object.keys(choices))
  throw new CommandError(suggestion ? [`there is no ${name}${suggestion}`] : usage)
}
