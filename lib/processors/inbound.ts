import { openCredentials, type ProcessorEnv, type SealedAccount } from './account.ts'
import { CREDENTIALS } from './credentials.ts'
import type { Inbound, ProcessorEvent } from './event.ts'
import { mollieApi } from './mollie/api.ts'
import { readMollieEvent } from './mollie/events.ts'
import { stripeApi } from './stripe/api.ts'
import { readStripeEvent } from './stripe/events.ts'

/**
 * Proves an inbound webhook over its raw body and puts it in our words. Beside the adapters and not in them: one Worker
 * takes webhooks, and the others need not carry it.
 *
 * @throws ForgedEvent, ProcessorError
 */
export async function readEvent(account: SealedAccount, env: ProcessorEnv, inbound: Inbound): Promise<ProcessorEvent> {
  const { acquiring } = account
  const credentials = await openCredentials(account, env)
  switch (acquiring) {
    case 'stripe': {
      const { secretKey, webhookSecret } = CREDENTIALS.stripe.parse(credentials)
      return readStripeEvent(stripeApi(secretKey, env.STRIPE_API_BASE), webhookSecret, inbound)
    }
    case 'mollie': {
      const { apiKey, webhookSecret } = CREDENTIALS.mollie.parse(credentials)
      return readMollieEvent(mollieApi(apiKey, env.MOLLIE_API_BASE), webhookSecret, inbound)
    }
    default:
      throw new Error(`there is no adapter for ${acquiring satisfies never}`)
  }
}
