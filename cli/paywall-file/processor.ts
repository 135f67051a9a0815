import * as z from 'zod'
import { credentialsSchema, parseCredentials } from '../../lib/processors/credentials.ts'
import { type Credentials, DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { type Environment, isLiteral, revealSecret, secretSchema } from './secret.ts'

/** The owner's account at a processor. Credentials may be references, `env:NAME`, until `revealProcessor` resolves them. */
export type ProcessorAccount = {
  [Name in ProcessorName]: { acquiring: Name; credentials: Credentials<Name> }
}[ProcessorName]

/** The same, whichever processor it is at. */
interface AnyAccount {
  acquiring: ProcessorName
  credentials: Readonly<Record<string, string>>
}

/** The schema of an account with its credentials as written. */
export function processorSchema(environment: Environment): z.ZodType<ProcessorAccount> {
  const value = (pattern: RegExp) =>
    secretSchema(environment, (secret) =>
      pattern.test(secret) ? null : 'must be 1 to 500 printable characters, as the processor shows it',
    )
  const accountAt = (acquiring: ProcessorName) =>
    z.strictObject({ acquiring: z.literal(acquiring), credentials: credentialsSchema(DEFINITIONS[acquiring], value) })
  const [first, ...others] = PROCESSOR_NAMES
  // Each has the credentials that its definition names, which the types do not follow.
  const accounts = [accountAt(first), ...others.map(accountAt)] as const
  return z.discriminatedUnion('acquiring', accounts, `must be one of ${PROCESSOR_NAMES.join(', ')}`) as never
}

/** Replaces every `env:NAME` by its secret; null if one is missing from the environment or malformed. */
export function revealProcessor(
  { acquiring, credentials }: AnyAccount,
  environment: Environment,
): ProcessorAccount | null {
  const secrets = Object.entries(credentials).map(([field, text]) => [field, revealSecret(text, environment)])
  try {
    const revealed = parseCredentials(DEFINITIONS[acquiring], Object.fromEntries(secrets))
    return { acquiring, credentials: revealed } as ProcessorAccount
  } catch (error) {
    if (error instanceof z.ZodError) return null
    throw error
  }
}

/** The names of secret credentials that are written in the file itself. */
export function literalSecrets({ acquiring, credentials }: AnyAccount): string[] {
  const definitions = DEFINITIONS[acquiring].credentials
  return Object.keys(credentials).filter((field) => definitions[field]?.secret && isLiteral(credentials[field] ?? ''))
}

/** The account's mode, if its credentials reveal it; else null. */
export const accountMode = ({ acquiring, credentials }: AnyAccount): 'test' | 'live' | null =>
  DEFINITIONS[acquiring].detectMode(credentials)
