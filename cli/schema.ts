import type { CommandResult } from './command.ts'
import { paywallFileJsonSchema } from './paywall-file/schema.ts'

/** `paywall schema`: the JSON Schema of paywall files. */
export async function runSchema(): Promise<CommandResult> {
  const text = paywallFileJsonSchema()
  return { text: text.trimEnd(), json: JSON.parse(text) }
}
