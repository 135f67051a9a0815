import * as z from 'zod'
import { EVENT_SELECTORS } from '../../lib/events/types.ts'
import { checked, issueAt } from './checks.ts'
import { type Environment, isLiteral, revealSecret, secretSchema } from './secret.ts'

const API_KEY = /^pk_(test|live)_[!-~]{16,248}$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** An owner key. The secret may still be a reference, `env:NAME`. */
export function keySchema(environment: Environment) {
  const shape = z.strictObject({
    name: z.string().min(1).max(100).describe('Your name for this key. Its secret may change'),
    mode: z.enum(['test', 'live']).optional().describe('Default: the mode of the secret, or else of the paywalls'),
    secret: secretSchema(environment, apiKeyProblem)
      .optional()
      .describe('pk_test_… or pk_live_…, or env:NAME. If omitted, one is generated and shown once'),
  })
  return checked(shape, 1, ({ mode, secret }, context) => {
    if (secret === undefined) return
    const modeOfSecret = apiKeyMode(revealSecret(secret, environment) ?? '')
    if (modeOfSecret === 'live' && isLiteral(secret)) {
      issueAt(context, ['secret'], 'a live key must come from env:NAME')
    }
    if (modeOfSecret && mode && modeOfSecret !== mode) {
      issueAt(context, ['mode'], `does not match the secret, which is a ${modeOfSecret} key`)
    }
  })
}

function apiKeyProblem(secret: string): string | null {
  return apiKeyMode(secret) ? null : 'must be pk_test_ or pk_live_ and 16 to 248 characters without spaces'
}

/** The mode of an owner key; null if it is malformed. */
export function apiKeyMode(secret: string): 'test' | 'live' | null {
  const mode = API_KEY.exec(secret)?.[1]
  return mode === 'test' || mode === 'live' ? mode : null
}

/** A webhook endpoint. The secret may still be a reference, `env:NAME`. */
export function webhookSchema(environment: Environment) {
  return z.strictObject({
    url: z
      .string()
      .max(2048)
      .refine((url) => (URL.parse(url)?.href.length ?? 0) <= 2048, 'too long')
      .meta({
        format: 'uri',
        description: 'Where events are sent. Must be https; test events may also go to http and loopback addresses',
      }),
    test: z
      .boolean()
      .optional()
      .describe(
        'true: receives events of test paywalls; false: of live ones. Default: the mode of the paywalls, if all have the same',
      ),
    secret: secretSchema(environment, webhookSecretProblem)
      .optional()
      .describe('whsec_ and base64 of 24 to 64 bytes, or env:NAME. If omitted, one is generated and shown once'),
    events: z
      .array(z.enum(EVENT_SELECTORS))
      .min(1)
      .refine((events) => new Set(events).size === events.length, 'an event is listed twice')
      .default(['*'])
      .describe('The events to send. * means all except balance.changed'),
  })
}

function webhookSecretProblem(secret: string): string | null {
  if (!secret.startsWith('whsec_')) return 'must begin with whsec_'
  const base64 = secret.slice('whsec_'.length)
  if (!BASE64.test(base64)) return 'must be whsec_ and base64 with padding'
  const bytes = (base64.length * 3) / 4 - (base64.match(/=/g)?.length ?? 0)
  return bytes >= 24 && bytes <= 64 ? null : `must be whsec_ and base64 of 24 to 64 bytes, not ${bytes}`
}
