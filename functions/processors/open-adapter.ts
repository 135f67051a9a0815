import { UnopenedSecret, unseal } from '../../lib/crypto/seal.ts'
import { log } from '../../lib/log/log.ts'
import { accountContext, accountTime, type SealedAccount } from '../../lib/processors/account.ts'
import type { Adapter } from '../../lib/processors/adapter.ts'
import { ADAPTERS } from '../../lib/processors/adapters.ts'
import { ApiBases } from '../../lib/processors/api-bases.ts'
import { ProcessorError } from '../../lib/processors/processor.ts'

export type ProcessorsEnv = Pick<
  Cloudflare.ProcessorsEnv,
  'PROCESSOR_CREDENTIALS_KEY' | 'PROCESSOR_API_BASES' | 'SERVICE_ORIGIN'
>

/**
 * Creates the adapter of an account with the owner's credentials decrypted. If no key decrypts them, only the operator can repair that, so
 * it is logged as an error; until then no call to the processor is possible.
 *
 * @throws ProcessorError misconfigured
 */
export async function openAdapter(account: SealedAccount, env: ProcessorsEnv): Promise<Adapter> {
  const { paywallId, acquiring, credentials, isTest } = account
  const base = ApiBases.parse(env.PROCESSOR_API_BASES)[acquiring] ?? null
  try {
    const opened = await unseal(credentials, env.PROCESSOR_CREDENTIALS_KEY, accountContext(account))
    // Called as a bare function: in a Worker, `fetch` must not be the method of another object.
    const options = {
      base,
      isTest,
      webhookUrl: env.SERVICE_ORIGIN ? `${env.SERVICE_ORIGIN}/webhooks/${acquiring}/${paywallId}` : null,
      fetch: (...request: Parameters<typeof fetch>) => fetch(...request),
      now: () => accountTime(account),
    }
    return await ADAPTERS[acquiring](JSON.parse(opened), options)
  } catch (cause) {
    if (!(cause instanceof UnopenedSecret)) throw cause
    log('error', 'processor credentials cannot be decrypted', { paywall_id: paywallId, acquiring, cause })
    throw new ProcessorError(acquiring, 'misconfigured', 'the credentials cannot be decrypted', { answered: false })
  }
}
