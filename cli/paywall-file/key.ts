import * as z from 'zod'
import { checked, issueAt } from './checks.ts'
import { type Environment, isLiteral, revealSecret, secretSchema } from './secret.ts'

const API_KEY = /^pk_(test|live)_[!-~]{16,248}$/

export function keySchema(environment: Environment) {
  const shape = z.strictObject({
    name: z.string().min(1).max(100).describe('What you call this key; its secret may change'),
    mode: z.enum(['test', 'live']).optional().describe('Default: as its secret says, else as the paywalls are'),
    secret: secretSchema(environment, apiKeyProblem)
      .optional()
      .describe('pk_test_… or pk_live_…, or env:NAME. Absent: made by the service and shown once'),
  })
  return checked(shape, 1, ({ mode, secret }, context) => {
    if (secret === undefined) return
    const said = modeOfApiKey(revealSecret(secret, environment) ?? '')
    if (said === 'live' && isLiteral(secret)) issueAt(context, ['secret'], 'a live key must come from env:NAME')
    if (said && mode && said !== mode) issueAt(context, ['mode'], `the secret is a ${said} key`)
  })
}

function apiKeyProblem(secret: string): string | null {
  return modeOfApiKey(secret) ? null : 'must be pk_test_ or pk_live_ and 16 to 248 characters without spaces'
}

/** Whether an owner key is for test or live paywalls; null if it is no owner key. */
export function modeOfApiKey(secret: string): 'test' | 'live' | null {
  const mode = API_KEY.exec(secret)?.[1]
  return mode === 'test' || mode === 'live' ? mode : null
}
