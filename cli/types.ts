import * as z from 'zod'
import { parseArguments } from './arguments.ts'
import { CommandError, type CommandResult } from './command.ts'
import { readTextArgument } from './file-argument.ts'
import { parseJsonText } from './paywall-file/json.ts'
import { toMessages, wording } from './paywall-file/wording.ts'

/** What is read of the file. All else may be wrong, or in an environment that is not here: `plan` says so. */
const NamesInFile = z.object({
  paywalls: z.array(
    z.object({
      settings: z.object({ tokenization_queries: z.array(z.object({ type: z.string() })).default([]) }).prefault({}),
      prices: z.array(z.object({ slug: z.string(), features: z.array(z.string()).default([]) })),
    }),
  ),
})

/** The names of a file, sorted, each once. */
interface Names {
  price: string[]
  feature: string[]
  token: string[]
}

/**
 * `paywall types FILE`: prints a TypeScript file by which the SDK takes the names of the file's prices, features and types of tokens,
 * and no others.
 */
export async function runTypes(args: string[]): Promise<CommandResult> {
  const { positionals } = parseArguments({ args, allowPositionals: true }, ['say types FILE'])
  const { path, text } = await readTextArgument(positionals)
  const names = namesIn(path, text)
  return { text: toDeclaration(names), json: { ...names } }
}

function namesIn(path: string, text: string): Names {
  const json = parseJsonText(text)
  if ('error' in json) throw new CommandError([`${path}: ${json.error}`])
  const parsed = NamesInFile.safeParse(json.value, { error: wording })
  if (!parsed.success) {
    const errors = parsed.error.issues.flatMap((issue) => toMessages(issue))
    throw new CommandError(errors.map((error) => `${path}: ${error}`))
  }
  const { paywalls } = parsed.data
  const prices = paywalls.flatMap((paywall) => paywall.prices)
  const tokens = paywalls.flatMap(({ settings }) => settings.tokenization_queries)
  return {
    price: each(prices.map(({ slug }) => slug)),
    feature: each(prices.flatMap(({ features }) => features)),
    token: each(tokens.map(({ type }) => type)),
  }
}

const each = (names: string[]) => [...new Set(names)].toSorted()

function toDeclaration(names: Names): string {
  const lines = Object.entries(names).map(([kind, all]) => `    ${kind}: ${toUnion(all)}`)
  return [
    '// Made by `paywall types`: the names of a paywall file, for paywall-billing-sdk.',
    "declare module 'paywall-billing-sdk' {",
    '  interface Register {',
    ...lines,
    '  }',
    '}',
    '',
    'export {}',
  ].join('\n')
}

/** JSON's quotes and escapes are TypeScript's, too. */
const toUnion = (names: string[]) => names.map((name) => JSON.stringify(name)).join(' | ') || 'never'
