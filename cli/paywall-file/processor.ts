import * as z from 'zod'
import { CREDENTIALS, credentialSchemas } from '../../lib/processors/credentials.ts'
import { type Environment, isLiteral, revealSecret, secretSchema } from './secret.ts'

/** What is no secret: it may stand in a live paywall's file as it is. */
const PUBLIC_CREDENTIALS = ['site', 'productId', 'publicKey', 'webhookUser']

/** The owner's account at a processor, its credentials as written. */
export function processorSchema(environment: Environment) {
  return accountSchema(
    credentialSchemas((pattern) =>
      secretSchema(environment, (secret) =>
        pattern.test(secret) ? null : 'must be 1 to 500 printable characters, as the processor shows it',
      ),
    ),
  )
}

const Account = accountSchema(CREDENTIALS)

/** The same with every `env:NAME` replaced by what it stands for. */
export type ProcessorAccount = z.infer<typeof Account>

/** Puts the secrets in; null if the environment lacks one or it is malformed. */
export function revealProcessor(
  written: { acquiring: string; credentials: Record<string, string> },
  environment: Environment,
): ProcessorAccount | null {
  const revealed = Object.entries(written.credentials).map(([member, text]) => [
    member,
    revealSecret(text, environment),
  ])
  const account = Account.safeParse({ acquiring: written.acquiring, credentials: Object.fromEntries(revealed) })
  return account.success ? account.data : null
}

/** The credentials that are secrets and yet stand in the file itself. */
export function literalSecrets(credentials: Record<string, string>): string[] {
  return Object.keys(credentials).filter(
    (member) => !PUBLIC_CREDENTIALS.includes(member) && isLiteral(credentials[member] ?? ''),
  )
}

/** Whether the key is for test or live money, where the processor's keys say so themselves; else null. */
export function modeOfProcessorKey(account: ProcessorAccount): 'test' | 'live' | null {
  switch (account.acquiring) {
    case 'stripe':
      return modeNamedBy(account.credentials.secretKey, /^[sr]k_(test|live)_/)
    case 'chargebee':
    case 'mollie':
      return modeNamedBy(account.credentials.apiKey, /^(test|live)_/)
    case 'polar':
    case 'freemius':
      return null
  }
}

function modeNamedBy(key: string, prefix: RegExp): 'test' | 'live' | null {
  const mode = prefix.exec(key)?.[1]
  return mode === 'test' || mode === 'live' ? mode : null
}

function accountSchema<Schemas extends ReturnType<typeof credentialSchemas>>(schemas: Schemas) {
  return z.discriminatedUnion('acquiring', [
    z.strictObject({ acquiring: z.literal('stripe'), credentials: schemas.stripe }),
    z.strictObject({ acquiring: z.literal('polar'), credentials: schemas.polar }),
    z.strictObject({ acquiring: z.literal('chargebee'), credentials: schemas.chargebee }),
    z.strictObject({ acquiring: z.literal('freemius'), credentials: schemas.freemius }),
    z.strictObject({ acquiring: z.literal('mollie'), credentials: schemas.mollie }),
  ])
}
