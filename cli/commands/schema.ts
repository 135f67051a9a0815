import type { Command } from '../command.ts'
import { paywallFileJsonSchema } from '../paywall-file/json-schema.ts'

export const schema: Command = {
  name: 'schema',
  usage: 'schema',
  summary: 'print the JSON Schema of paywall files (paywall.schema.json)',
  async run() {
    process.stdout.write(paywallFileJsonSchema())
  },
}
