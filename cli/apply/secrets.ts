import { randomHex, unseal } from '../../lib/crypto/crypto.ts'

/** A secret that the file left to us. It is shown to the owner this once. */
export interface NewSecret {
  /** What it is of: `key backend`, `webhook https://…`. */
  what: string
  secret: string
}

/** An owner key (X-Api-Key): 32 random bytes after its mode. */
export function newApiKey(isTest: boolean): string {
  return `pk_${isTest ? 'test' : 'live'}_${randomHex(32)}`
}

/** A webhook's signing secret as Standard Webhooks writes it: 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')}`
}

/** The secret that was sealed; null if it was sealed with another key, because then it has to be set anew. */
export async function unsealOrNull(sealed: string, key: string, context: string): Promise<string | null> {
  return unseal(sealed, key, context).catch(() => null)
}
