import * as z from 'zod'
import { EVENT_SELECTORS } from '../../lib/events/types.ts'
import { type Environment, secretSchema } from './secret.ts'

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

export function webhookSchema(environment: Environment) {
  return z.strictObject({
    url: z
      .string()
      .max(2048)
      .refine((url) => (URL.parse(url)?.href.length ?? 0) <= 2048, 'too long')
      .meta({
        format: 'uri',
        description: 'Where events are posted: https; beside test paywalls also http and loopback',
      }),
    secret: secretSchema(environment, webhookSecretProblem)
      .optional()
      .describe('whsec_ and base64 of 24 to 64 bytes, or env:NAME. Absent: made by the service and shown once'),
    events: z
      .array(z.enum(EVENT_SELECTORS))
      .min(1)
      .refine((events) => new Set(events).size === events.length, 'an event is named twice')
      .default(['*'])
      .describe('Which events; * is all but balance.changed'),
  })
}

function webhookSecretProblem(secret: string): string | null {
  if (!secret.startsWith('whsec_')) return 'must begin with whsec_'
  const base64 = secret.slice('whsec_'.length)
  if (!BASE64.test(base64)) return 'must be whsec_ and base64 with padding'
  const bytes = (base64.length * 3) / 4 - (base64.match(/=/g)?.length ?? 0)
  return bytes >= 24 && bytes <= 64 ? null : `must be whsec_ and base64 of 24 to 64 bytes, these are ${bytes}`
}
