import { unseal } from '../crypto.ts'
import type { Acquiring } from './acquiring.ts'
import { CREDENTIALS } from './credentials.ts'
import { mollie } from './mollie/mollie.ts'
import type { Processor } from './processor.ts'
import { stripe } from './stripe/stripe.ts'

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

/** The processor behind a paywall's account, with the owner's credentials opened. */
export async function processorFor(account: SealedAccount, env: ProcessorEnv): Promise<Processor> {
  const { paywallId, acquiring } = account
  const context = `processor:${paywallId}:${acquiring}`
  const credentials: unknown = JSON.parse(await unseal(account.credentials, env.PROCESSOR_CREDENTIALS_KEY, context))
  switch (acquiring) {
    case 'stripe':
      return stripe(CREDENTIALS.stripe.parse(credentials), { paywallId, apiBase: env.STRIPE_API_BASE })
    case 'mollie':
      return mollie(CREDENTIALS.mollie.parse(credentials), { paywallId, apiBase: env.MOLLIE_API_BASE })
    default:
      throw new Error(`there is no adapter for ${acquiring satisfies never}`)
  }
}
