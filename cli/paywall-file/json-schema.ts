import * as z from 'zod'
import { paywallFileSchema } from './schema.ts'

/** The published JSON Schema of the paywall file, for editors: the rules that one member can break by itself. */
export function paywallFileJsonSchema(): string {
  const schema = z.toJSONSchema(paywallFileSchema({}), { target: 'draft-2020-12', io: 'input' })
  return `${JSON.stringify({ title: 'Paywall file', ...schema }, null, 2)}\n`
}
