import * as z from 'zod'
import type { Generated } from './generate.ts'
import type { Answer } from './send.ts'

/** An error as contract section 7 and the design have it: `error`, and no member that is not in their lists. */
const Refusal = z.strictObject({
  error: z.string().min(1),
  message: z.string().optional(),
  code: z.string().optional(),
  hasActivePurchase: z.literal(true).optional(),
  isTest: z.enum(['0', '1']).optional(),
  available: z.int().optional(),
  requested: z.int().optional(),
})

/** What any endpoint may answer: bad input, no such thing, another method, a preflight, too large. */
const ANYWHERE = [204, 400, 404, 405, 413]

/** Traces of code, of SQL and of what Postgres says. No text that the storm sends looks like these. */
const INSIDES =
  /\n\s+at |\.ts:\d|worker\.js|\b(select|insert into|update|delete from)\b .*\b(from|set|values|where)\b|syntax error at|violates|relation "|(Type|Range|Reference|Syntax|NeonDb|Zod)Error|sk_test_|whsec_/i

/** What is wrong with an answer, or null. `secrets` are texts that no answer may hold. */
export function faultOf({ endpoint, method }: Generated, answer: Answer, secrets: string[]): string | null {
  const { status, headers, text } = answer
  if (status >= 500) return 'a failure of ours'
  if (![...ANYWHERE, ...endpoint.statuses].includes(status)) return 'a status that is not documented'
  if (INSIDES.test(text)) return 'shows what is inside'
  if (secrets.some((secret) => text.includes(secret) || JSON.stringify(headers).includes(secret)))
    return 'tells a secret'
  if (!headers['x-request-id'] || headers['access-control-allow-origin'] !== '*')
    return 'did not come through the gateway'
  if (status === 405 && !headers.allow) return '405 without Allow'
  if (status === 429 && !headers['retry-after']) return '429 without Retry-After'
  if (method === 'HEAD' || status === 204 || status === 304) return text === '' ? null : 'a body where none belongs'
  if (!String(headers['content-type']).startsWith('application/json')) return 'no JSON'
  const body = parsed(text)
  if (status >= 400 && !Refusal.safeParse(body).success) return 'no refusal as the contract has it'
  return body === undefined ? 'no JSON' : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
