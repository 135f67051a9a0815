import { paywallFileJsonSchema } from '../../lib/paywall/json-schema.ts'
import type { Command } from '../command.ts'

export const schema: Command = {
  name: 'schema',
  usage: 'schema',
  summary: 'print the JSON Schema of paywall files (paywall.schema.json)',
  async run() {
    process.stdout.write(paywallFileJsonSchema())
  },
}
