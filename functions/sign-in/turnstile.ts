// Cloudflare Turnstile: https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
import * as z from 'zod'
import { UnopenedSecret, unseal } from '../../lib/crypto/seal.ts'
import { turnstileContext } from '../../lib/crypto/turnstile-context.ts'
import { log } from '../../lib/log/log.ts'

/** A paywall's keys as stored: `secret_key` is encrypted. */
export interface TurnstileKeys {
  site_key: string
  secret_key: string
}

/** Short, because a user waits for the response. */
const TIMEOUT_MS = 5_000

const Siteverify = z.object({ success: z.boolean(), 'error-codes': z.array(z.string()).default([]) })

type Env = Pick<Cloudflare.SignInEnv, 'TURNSTILE_SECRETS_KEY' | 'TURNSTILE_ORIGIN'>

/**
 * Asks Cloudflare whether a captcha was solved. A token is valid once. Everything but a clear yes is a no.
 *
 * `hostname` is not compared, because owners show the captcha on their own pages and in apps, whose hosts we do not know. Cloudflare shows it
 * only on the hosts that the owner has listed for the site key.
 */
export async function verifyTurnstile(
  env: Env,
  paywallId: string,
  keys: TurnstileKeys,
  { token, remoteIp }: { token: string; remoteIp: string | undefined },
): Promise<'solved' | 'captcha_failed' | 'captcha_unavailable' | 'captcha_misconfigured'> {
  try {
    const secret = await unseal(keys.secret_key, env.TURNSTILE_SECRETS_KEY, turnstileContext(paywallId))
    const origin = env.TURNSTILE_ORIGIN || 'https://challenges.cloudflare.com'
    const response = await fetch(`${origin}/turnstile/v0/siteverify`, {
      method: 'POST',
      body: new URLSearchParams({ secret, response: token, ...(remoteIp && { remoteip: remoteIp }) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { success, 'error-codes': codes } = Siteverify.parse(await response.json())
    if (success) return 'solved'
    if (codes.includes('internal-error')) throw new Error('siteverify: internal-error')
    if (!codes.some((code) => code.endsWith('-input-secret'))) return 'captcha_failed'
    log('error', 'Turnstile rejected a secret key', { paywall_id: paywallId })
    return 'captcha_misconfigured'
  } catch (cause) {
    if (cause instanceof UnopenedSecret) {
      log('error', 'Turnstile secret key cannot be decrypted', { paywall_id: paywallId, cause })
      return 'captcha_misconfigured'
    }
    log('warn', 'Turnstile did not respond', { paywall_id: paywallId, cause })
    return 'captcha_unavailable'
  }
}
