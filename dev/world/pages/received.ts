import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import * as z from 'zod'

/** A POST that reached the receiver, with its raw body, which is what the sender signed. */
export const Received = z.object({
  id: z.string(),
  at: z.coerce.date(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  verified: z.boolean(),
})
export type Received = z.output<typeof Received>

/** Whether the signature of a body is valid for one of the secrets, `whsec_…`. */
export function isSignedWithAny(secrets: string[], body: string, headers: Record<string, string>): boolean {
  return secrets.some((secret) => {
    try {
      new Webhook(secret).verify(body, headers)
      return true
    } catch (error) {
      // SyntaxError: the body is not JSON. The library parses it after it has verified the signature.
      if (error instanceof WebhookVerificationError || error instanceof SyntaxError) return false
      throw error
    }
  })
}
