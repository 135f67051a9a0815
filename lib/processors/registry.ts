import { openCredentials, type ProcessorEnv, type SealedAccount } from './account.ts'
import { CREDENTIALS } from './credentials.ts'
import { mollie } from './mollie/mollie.ts'
import type { Processor } from './processor.ts'
import { stripe } from './stripe/stripe.ts'

/** The adapter of a paywall's processor, with the owner's credentials decrypted. */
export async function processorFor(account: SealedAccount, env: ProcessorEnv): Promise<Processor> {
  const { paywallId, acquiring } = account
  const credentials = await openCredentials(account, env)
  switch (acquiring) {
    case 'stripe':
      return stripe(CREDENTIALS.stripe.parse(credentials), { paywallId, apiBase: env.STRIPE_API_BASE })
    case 'mollie':
      return mollie(CREDENTIALS.mollie.parse(credentials), { paywallId, apiBase: env.MOLLIE_API_BASE })
    default:
      throw new Error(`there is no adapter for ${acquiring satisfies never}`)
  }
}
