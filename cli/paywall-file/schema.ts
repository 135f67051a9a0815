import * as z from 'zod'
import { TEAM_ROLES } from '../../lib/auth/team-roles.ts'
import { publicUrlProblem } from '../../lib/http/public-url.ts'
import { email } from '../../lib/http/user-fields.ts'
import { checked, issueAt, unique } from './checks.ts'
import { keySchema, webhookSchema } from './keys-and-webhooks.ts'
import { paywallSchema } from './paywall.ts'
import { reportingSchema } from './reporting.ts'
import { type Environment, isLiteral, revealSecret } from './secret.ts'
import { serviceHosts } from './service-hosts.ts'

const emailAddress = email.max(254).meta({ format: 'email' }).pipe(z.email())

const teamMemberSchema = z.strictObject({
  email: emailAddress,
  role: z
    .enum(TEAM_ROLES)
    .describe(
      'admin: everything. support: users, events and tickets, but no money, access or keys. viewer: reads only',
    ),
})

function shape(environment: Environment) {
  const reveal = (secret: string | number) => revealSecret(String(secret), environment)
  return z.strictObject({
    $schema: z.string().optional().describe('The JSON Schema of this file, for editors'),
    owner: z
      .strictObject({ email: emailAddress })
      .describe('The seller. Keys, webhooks and paywalls belong to the owner'),
    team: checked(z.array(teamMemberSchema), 1, unique('email'))
      .default([])
      .describe('Who may sign in to the console besides the owner. Those who are not listed lose access'),
    reporting: reportingSchema
      .optional()
      .describe('The currency in which the console sums up figures of all currencies, with exchange rates'),
    keys: checked(z.array(keySchema(environment)), 1, unique('name'), unique('secret', reveal))
      .default([])
      .describe('Owner keys (X-Api-Key). Keys that are not listed are revoked'),
    webhooks: checked(z.array(webhookSchema(environment)), 1)
      .default([])
      .describe('Where events are sent. Endpoints that are not listed are disabled'),
    paywalls: checked(z.array(paywallSchema(environment)), 1, unique('id'), unique('domain'))
      .min(1)
      .describe('The paywalls. Those that are not listed stay unchanged'),
  })
}

export type WrittenFile = z.output<ReturnType<typeof shape>>

/** The whole file. Secrets may still be references, `env:NAME`, and amounts are in major units. */
export function paywallFileSchema(environment: Environment) {
  const reservedHosts = serviceHosts(environment)
  return checked(
    shape(environment),
    3,
    checkWebhooks(reservedHosts),
    checkDomains(reservedHosts),
    checkKeyModes,
    checkTeam,
  )
}

/** The published JSON Schema of the paywall file, for editors. It has no rules across fields. */
export function paywallFileJsonSchema(): string {
  const schema = z.toJSONSchema(paywallFileSchema({}), { target: 'draft-2020-12', io: 'input' })
  return `${JSON.stringify({ title: 'Paywall file', ...schema }, null, 2)}\n`
}

/** Whether all paywalls are test paywalls. */
export function isTestFile({ paywalls }: WrittenFile): boolean {
  return paywalls.every(({ test }) => test)
}

/** Whether the file has test and live paywalls. */
const hasBothModes = ({ paywalls }: WrittenFile) => new Set(paywalls.map(({ test }) => test)).size === 2

const checkWebhooks = (reservedHosts: string[]) =>
  function checkWebhooks(file: WrittenFile, context: z.RefinementCtx): void {
    const ownHosts = [...reservedHosts, ...file.paywalls.map(({ domain }) => domain ?? null)]
    const firstIndexes = new Map<string, number>()
    for (const [index, { url, secret, test }] of file.webhooks.entries()) {
      if (test === undefined && hasBothModes(file)) {
        issueAt(context, ['webhooks', index, 'test'], 'is required, because the file has test and live paywalls')
      }
      const isTest = test ?? isTestFile(file)
      const problem = publicUrlProblem(url, { allowLocal: isTest, ownHosts })
      if (problem) issueAt(context, ['webhooks', index, 'url'], problem)
      const endpoint = `${isTest} ${URL.parse(url)?.href}`
      const first = firstIndexes.get(endpoint)
      if (first === undefined) firstIndexes.set(endpoint, index)
      else issueAt(context, ['webhooks', index, 'url'], `is the same as in entry ${first}`)
      if (isTest || secret === undefined || !isLiteral(secret)) continue
      issueAt(context, ['webhooks', index, 'secret'], 'a live webhook must take its secret from env:NAME')
    }
  }

const checkDomains = (reservedHosts: string[]) =>
  function checkDomains({ paywalls }: WrittenFile, context: z.RefinementCtx): void {
    for (const [index, { domain }] of paywalls.entries()) {
      if (domain && reservedHosts.includes(domain))
        issueAt(context, ['paywalls', index, 'domain'], `${domain} is a host of the service itself`)
    }
  }

function checkTeam({ owner, team }: WrittenFile, context: z.RefinementCtx): void {
  for (const [index, member] of team.entries()) {
    if (member.email === owner.email)
      issueAt(context, ['team', index, 'email'], 'is the owner, who is an admin already')
  }
}

function checkKeyModes(file: WrittenFile, context: z.RefinementCtx): void {
  for (const [index, { mode, secret }] of file.keys.entries()) {
    if (mode || secret !== undefined || !hasBothModes(file)) continue
    issueAt(context, ['keys', index, 'mode'], 'is required, because the file has test and live paywalls')
  }
}
