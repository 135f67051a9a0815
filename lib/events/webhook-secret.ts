/** AES-GCM additional data: binds the ciphertext of a secret to the URL of its webhook endpoint. */
export const webhookContext = (url: string) => `webhook:${url}`

/** Generates a signing secret in the format of Standard Webhooks: 32 random bytes in base64. */
export function newWebhookSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}

/** The RPC interface of deliver-events, which alone has the key that encrypts these secrets. */
export interface WebhookSecretsRpc {
  /** Generates a secret for the webhook endpoint at `url`, and encrypts it for the database. */
  newSecret(url: string): Promise<{ secret: string; sealed: string }>
}
