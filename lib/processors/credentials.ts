import * as z from 'zod'
import type { Acquiring } from './acquiring.ts'

/** 1 to 500 printable characters without spaces at the ends, because credentials are sent in headers. */
const TEXT = /^[!-~]([ -~]{0,498}[!-~])?$/
const CHARGEBEE_SITE = /^[a-z0-9][a-z0-9-]{0,59}$/
const FREEMIUS_PRODUCT = /^[0-9]{1,19}$/

/** An owner's credentials at each processor. `value` makes the schema of one credential from its pattern. */
export function credentialSchemas(value: (pattern: RegExp) => z.ZodType<string, string>) {
  const text = value(TEXT)
  return {
    stripe: z.strictObject({ secretKey: text, webhookSecret: text }),
    polar: z.strictObject({ accessToken: text, webhookSecret: text }),
    chargebee: z.strictObject({
      site: value(CHARGEBEE_SITE),
      apiKey: text,
      webhookUser: text,
      webhookPassword: text,
    }),
    freemius: z.strictObject({
      productId: value(FREEMIUS_PRODUCT),
      publicKey: text,
      secretKey: text,
      apiKey: text,
    }),
    mollie: z.strictObject({ apiKey: text, webhookSecret: text }),
  }
}

/** The credentials once they are decrypted. */
export const CREDENTIALS = credentialSchemas((pattern) => z.string().regex(pattern))

export type Credentials<Name extends Acquiring> = z.output<(typeof CREDENTIALS)[Name]>
