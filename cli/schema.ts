import { parseArguments } from './arguments.ts'
import type { Outcome } from './command.ts'
import { paywallFileJsonSchema } from './paywall-file/schema.ts'

/** `paywall schema`: the JSON Schema of paywall files. */
export async function runSchema(args: string[]): Promise<Outcome> {
  parseArguments({ args }, ['schema takes no arguments'])
  const text = paywallFileJsonSchema()
  return { text: text.trimEnd(), json: JSON.parse(text) }
}
