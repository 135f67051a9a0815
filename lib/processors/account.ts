import { unseal } from '../crypto/crypto.ts'
import type { Acquiring } from './acquiring.ts'

/** An owner's account at a processor, as the database has it: `credentials` are encrypted. */
export interface SealedAccount {
  paywallId: string
  acquiring: Acquiring
  credentials: string
}

/** The bindings of a Worker that calls processors. An empty base address means the processor's own. */
export interface ProcessorEnv {
  PROCESSOR_CREDENTIALS_KEY: string
  STRIPE_API_BASE: string
  MOLLIE_API_BASE: string
}

/** Decrypts the owner's credentials. They are not parsed yet. */
export async function openCredentials(account: SealedAccount, env: ProcessorEnv): Promise<unknown> {
  const context = `processor:${account.paywallId}:${account.acquiring}`
  return JSON.parse(await unseal(account.credentials, env.PROCESSOR_CREDENTIALS_KEY, context))
}
