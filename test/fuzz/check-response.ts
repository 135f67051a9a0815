import { undocumented } from '../support/documented.ts'
import type { Generated } from './generate.ts'
import type { HttpResponse } from './send.ts'

/** Patterns of code, SQL and Postgres errors, which no response may contain. No text that is sent matches them. */
const INTERNALS =
  /\n\s+at |\.ts:\d|worker\.js|\b(select|insert into|update|delete from)\b .*\b(from|set|values|where)\b|syntax error at|violates|relation "|(Type|Range|Reference|Syntax|NeonDb|Zod)Error|sk_test_|whsec_/i

/** What is wrong with a response, or null. `secrets` are texts that no response may contain. */
export function findFault({ method, path }: Generated, response: HttpResponse, secrets: string[]): string | null {
  const { status, headers, text } = response
  if (status >= 500) return 'an internal error'
  if (INTERNALS.test(text)) return 'reveals internals'
  if (secrets.some((secret) => text.includes(secret) || JSON.stringify(headers).includes(secret)))
    return 'contains a secret'
  if (!headers['x-request-id'] || headers['access-control-allow-origin'] !== '*')
    return 'did not come through the gateway'
  const get = (name: string) => headers[name.toLowerCase()]?.toString() ?? null
  return undocumented({ method, url: `http://service.example${path}`, status, headers: { get }, text })
}
