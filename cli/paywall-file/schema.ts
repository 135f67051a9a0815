import * as z from 'zod'
import { publicUrlProblem } from '../../lib/http/public-url.ts'
import { email } from '../../lib/http/user-fields.ts'
import { checked, issueAt, unique } from './checks.ts'
import { keySchema, webhookSchema } from './keys-and-webhooks.ts'
import { paywallSchema } from './paywall.ts'
import { type Environment, isLiteral, revealSecret } from './secret.ts'
import { serviceHosts } from './service-hosts.ts'

function shape(environment: Environment) {
  const meaning = (secret: string | number) => revealSecret(String(secret), environment)
  return z.strictObject({
    $schema: z.string().optional().describe('Where editors find the JSON Schema of this file'),
    owner: z
      .strictObject({ email: email.max(254).meta({ format: 'email' }).pipe(z.email()) })
      .describe('Who sells. Keys, webhooks and paywalls belong to the owner'),
    keys: checked(z.array(keySchema(environment)), 1, unique('name'), unique('secret', meaning))
      .default([])
      .describe('Owner keys (X-Api-Key). The ones that are not here are revoked'),
    webhooks: checked(z.array(webhookSchema(environment)), 1)
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
  const ours = serviceHosts(environment)
  return checked(shape(environment), 3, checkWebhooks(ours), checkDomains(ours), checkKeyModes)
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

/** Whether the file has test paywalls and live ones. */
const hasBothModes = ({ paywalls }: WrittenFile) => new Set(paywalls.map(({ test }) => test)).size === 2

const checkWebhooks = (ours: string[]) =>
  function checkWebhooks(file: WrittenFile, context: z.RefinementCtx): void {
    const ownHosts = [...ours, ...file.paywalls.map(({ domain }) => domain ?? null)]
    const firstIndexes = new Map<string, number>()
    for (const [index, { url, secret, test }] of file.webhooks.entries()) {
      if (test === undefined && hasBothModes(file)) {
        issueAt(context, ['webhooks', index, 'test'], 'say true or false: the file has test and live paywalls')
      }
      const isTest = test ?? isTestFile(file)
      const problem = publicUrlProblem(url, { allowLocal: isTest, ownHosts })
      if (problem) issueAt(context, ['webhooks', index, 'url'], problem)
      const endpoint = `${isTest} ${URL.parse(url)?.href}`
      const first = firstIndexes.get(endpoint)
      if (first === undefined) firstIndexes.set(endpoint, index)
      else issueAt(context, ['webhooks', index, 'url'], `the same as in entry ${first}`)
      if (isTest || secret === undefined || !isLiteral(secret)) continue
      issueAt(context, ['webhooks', index, 'secret'], 'a live webhook takes its secret from env:NAME')
    }
  }

const checkDomains = (ours: string[]) =>
  function checkDomains({ paywalls }: WrittenFile, context: z.RefinementCtx): void {
    for (const [index, { domain }] of paywalls.entries()) {
      if (domain && ours.includes(domain)) issueAt(context, ['paywalls', index, 'domain'], `${domain} is served by us`)
    }
  }

function checkKeyModes(file: WrittenFile, context: z.RefinementCtx): void {
  for (const [index, { mode, secret }] of file.keys.entries()) {
    if (mode || secret !== undefined || !hasBothModes(file)) continue
    issueAt(context, ['keys', index, 'mode'], 'say test or live: the file has paywalls of both')
  }
}
