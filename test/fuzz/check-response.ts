import { undocumented } from '../support/documented.ts'
import type { Generated } from './generate.ts'
import type { HttpResponse } from './send.ts'

/** Traces of code, of SQL and of what Postgres says. No text that is sent looks like these. */
const INSIDES =
  /\n\s+at |\.ts:\d|worker\.js|\b(select|insert into|update|delete from)\b .*\b(from|set|values|where)\b|syntax error at|violates|relation "|(Type|Range|Reference|Syntax|NeonDb|Zod)Error|sk_test_|whsec_/i

/** What is wrong with an answer, or null. `secrets` are texts that no answer may hold. */
export function getFault({ method, path }: Generated, answer: HttpResponse, secrets: string[]): string | null {
  const { status, headers, text } = answer
  if (status >= 500) return 'a failure of ours'
  if (INSIDES.test(text)) return 'shows what is inside'
  if (secrets.some((secret) => text.includes(secret) || JSON.stringify(headers).includes(secret)))
    return 'contains a secret'
  if (!headers['x-request-id'] || headers['access-control-allow-origin'] !== '*')
    return 'did not come through the gateway'
  const get = (name: string) => headers[name.toLowerCase()]?.toString() ?? null
  return undocumented({ method, url: `http://service.example${path}`, status, headers: { get }, text })
}
