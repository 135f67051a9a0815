import { openCredentials, type ProcessorEnv, type SealedAccount } from './account.ts'
import type { Acquiring } from './acquiring.ts'
import { CREDENTIALS } from './credentials.ts'
import { ForgedEvent, type Inbound, type ProcessorEvent } from './event.ts'
import { mollieApi } from './mollie/api.ts'
import { isMollieSignature, readMollieEvent } from './mollie/events.ts'
import { stripeApi } from './stripe/api.ts'
import { isStripeSignature, readStripeEvent } from './stripe/events.ts'

/** Whether a webhook's headers could be a processor's own: there is a signature of its form, made not too long ago. */
const IS_SIGNATURE: Record<Acquiring, (headers: Headers, now: Date) => boolean> = {
  stripe: isStripeSignature,
  mollie: isMollieSignature,
}

/**
 * Refuses what no secret can have signed. It takes no secret to see that, so nothing need be read for it.
 *
 * @throws ForgedEvent
 */
export function checkSignatureForm(acquiring: Acquiring, { headers, now }: Inbound): void {
  if (!IS_SIGNATURE[acquiring](headers, now))
    throw new ForgedEvent(`${acquiring}: there is no signature that could hold`)
}

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
