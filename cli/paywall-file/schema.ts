import * as z from 'zod'
import { publicUrlProblem } from '../../lib/http/public-url.ts'
import { email } from '../../lib/http/user-fields.ts'
import { checked, issueAt, unique } from './checks.ts'
import { keySchema, webhookSchema } from './keys-and-webhooks.ts'
import { paywallSchema } from './paywall.ts'
import { type Environment, isLiteral, revealSecret } from './secret.ts'

function shape(environment: Environment) {
  const meaning = (secret: string | number) => revealSecret(String(secret), environment)
  const address = (url: string | number) => URL.parse(String(url))?.href
  return z.strictObject({
    $schema: z.string().optional().describe('Where editors find the JSON Schema of this file'),
    owner: z
      .strictObject({ email: email.max(254).meta({ format: 'email' }).pipe(z.email()) })
      .describe('Who sells. Keys, webhooks and paywalls belong to the owner'),
    keys: checked(z.array(keySchema(environment)), 1, unique('name'), unique('secret', meaning))
      .default([])
      .describe('Owner keys (X-Api-Key). The ones that are not here are revoked'),
    webhooks: checked(z.array(webhookSchema(environment)), 1, unique('url', address))
      .default([])
      .describe('Where events are sent. Endpoints that are not here get none any more'),
    paywalls: checked(z.array(paywallSchema(environment)), 1, unique('id'), unique('domain'))
      .min(1)
      .describe('What is sold. Paywalls that are not here stay as they are'),
  })
}

export type WrittenFile = z.output<ReturnType<typeof shape>>

/** The whole file, its secrets still as written and its amounts in major units. */
export function paywallFileSchema(environment: Environment) {
  return checked(shape(environment), 3, checkWebhooks, checkKeyModes)
}

/** The published JSON Schema of the paywall file, for editors: the rules that one field can break by itself. */
export function paywallFileJsonSchema(): string {
  const schema = z.toJSONSchema(paywallFileSchema({}), { target: 'draft-2020-12', io: 'input' })
  return `${JSON.stringify({ title: 'Paywall file', ...schema }, null, 2)}\n`
}

/** Whether all that the file describes is for test money. */
export function isTestFile({ paywalls }: WrittenFile): boolean {
  return paywalls.every(({ test }) => test)
}

function checkWebhooks(file: WrittenFile, context: z.RefinementCtx): void {
  const allowLocal = isTestFile(file)
  const ownHosts = file.paywalls.map(({ domain }) => domain ?? null)
  for (const [index, { url, secret }] of file.webhooks.entries()) {
    const problem = publicUrlProblem(url, { allowLocal, ownHosts })
    if (problem) issueAt(context, ['webhooks', index, 'url'], problem)
    if (allowLocal || secret === undefined || !isLiteral(secret)) continue
    issueAt(context, ['webhooks', index, 'secret'], 'beside a live paywall secrets come from env:NAME')
  }
}

function checkKeyModes(file: WrittenFile, context: z.RefinementCtx): void {
  const modes = new Set(file.paywalls.map(({ test }) => test))
  for (const [index, { mode, secret }] of file.keys.entries()) {
    if (mode || secret !== undefined || modes.size < 2) continue
    issueAt(context, ['keys', index, 'mode'], 'say test or live: the file has paywalls of both')
  }
}
