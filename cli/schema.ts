import { parseArguments } from './arguments.ts'
import type { CommandResult } from './command.ts'
import { paywallFileJsonSchema } from './paywall-file/schema.ts'

/** `paywall schema`: the JSON Schema of paywall files. */
export async function runSchema(args: string[]): Promise<CommandResult> {
  parseArguments({ args }, ['schema takes no arguments'])
  const text = paywallFileJsonSchema()
  return { text: text.trimEnd(), json: JSON.parse(text) }
}
