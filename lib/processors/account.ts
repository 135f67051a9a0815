import { unseal } from '../crypto/crypto.ts'
import type { Acquiring } from './acquiring.ts'

/** An owner's account at a processor, as the database keeps it. */
export interface SealedAccount {
  paywallId: string
  acquiring: Acquiring
  credentials: string
}

/** What a Worker that talks to processors is bound to. An empty base address means the processor's own. */
export interface ProcessorEnv {
  PROCESSOR_CREDENTIALS_KEY: string
  STRIPE_API_BASE: string
  MOLLIE_API_BASE: string
}

/** The owner's credentials, not parsed yet. */
export async function openCredentials(account: SealedAccount, env: ProcessorEnv): Promise<unknown> {
  const context = `processor:${account.paywallId}:${account.acquiring}`
  return JSON.parse(await unseal(account.credentials, env.PROCESSOR_CREDENTIALS_KEY, context))
}
