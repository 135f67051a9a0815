import { UnopenedSecret, unseal } from '../crypto/seal.ts'
import { log } from '../http/log.ts'
import type { Acquiring } from './acquiring.ts'
import { ProcessorError } from './processor.ts'

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

/**
 * Decrypts the owner's credentials. They are not parsed yet. If no key opens them, only we can mend that, so the log has it
 * as an error; until then nothing can be asked of the processor.
 *
 * @throws ProcessorError misconfigured
 */
export async function openCredentials(account: SealedAccount, env: ProcessorEnv): Promise<unknown> {
  const { paywallId, acquiring, credentials } = account
  try {
    return JSON.parse(await unseal(credentials, env.PROCESSOR_CREDENTIALS_KEY, `processor:${paywallId}:${acquiring}`))
  } catch (cause) {
    if (!(cause instanceof UnopenedSecret)) throw cause
    log('error', 'processor credentials cannot be opened', { paywall_id: paywallId, acquiring, cause })
    throw new ProcessorError(acquiring, 'misconfigured', 'the credentials cannot be opened', { answered: false, cause })
  }
}
