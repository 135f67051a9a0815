import { openCredentials, type ProcessorEnv, type SealedAccount } from './account.ts'
import { CREDENTIALS } from './credentials.ts'
import type { Inbound, ProcessorEvent } from './event.ts'
import { mollieApi } from './mollie/api.ts'
import { readMollieEvent } from './mollie/events.ts'
import { stripeApi } from './stripe/api.ts'
import { readStripeEvent } from './stripe/events.ts'

/**
 * Verifies an inbound webhook over its raw body and translates it into our terms. It is not a method of the adapters,
 * because only one Worker takes webhooks: the others are smaller without this code.
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
