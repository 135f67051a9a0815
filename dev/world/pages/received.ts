import { Webhook, WebhookVerificationError } from 'standardwebhooks'

/** One POST that reached the receiver. */
export interface Received {
  /** When it arrived. */
  at: Date
  path: string
  headers: Record<string, string>
  /** The raw body, which is what the sender signed. */
  body: string
  /** Whether the signature fits one of the known secrets. */
  verified: boolean
}

/** Whether the signature of a body fits one of the secrets, `whsec_…`. */
export function isSignedWithAny(secrets: string[], body: string, headers: Record<string, string>): boolean {
  return secrets.some((secret) => {
    try {
      new Webhook(secret).verify(body, headers)
      return true
    } catch (error) {
      // A SyntaxError: the body is not JSON. The library parses it once the signature is verified.
      if (error instanceof WebhookVerificationError || error instanceof SyntaxError) return false
      throw error
    }
  })
}
