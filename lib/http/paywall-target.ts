import type { Context, HonoRequest } from 'hono'
import { apiError } from './errors.ts'
import { sharedErrors } from './shared-errors.ts'

/** Where the call is about: the paywall in its path, and the host it came in by. */
export type PaywallTarget = { paywallId: string; host: string }

/** The name under which a request's context keeps the paywall id for the log. */
const LOGGED = 'paywallId'

/**
 * The paywall that a request is about, and the host that it was sent to. Where the path does not name the paywall, the
 * body or the token does: then `paywallId` is given.
 */
export const paywallTarget = (c: Context, paywallId = c.req.param('id') ?? ''): PaywallTarget => ({
  paywallId,
  host: requestHost(c),
})

/**
 * Compares `X-Paywall-Id` with the paywall that a request is about. A client that sends it says which paywall it was made for,
 * so where the two differ one of them is a mistake, and nothing must be done on either. It is async for `rejectInvalidKeyFirst`'s sake.
 *
 * @throws ApiError 400 `paywall_id_mismatch`
 */
export async function checkPaywallId(request: HonoRequest, { paywallId }: PaywallTarget): Promise<void> {
  const named = request.header('x-paywall-id')
  if (named === undefined || named === paywallId) return
  throw apiError(sharedErrors.paywall_id_mismatch, { message: '`X-Paywall-Id` names another paywall than the request' })
}

/**
 * Notes the paywall of a request whose path does not name it, for its line in the log. To be called as soon as the paywall
 * is known, so that the line has it whatever is wrong with the rest of the request.
 */
export const logPaywall = (c: Context, paywallId: unknown): void => c.set(LOGGED, paywallId)

/** The host that a request was sent to. A name may end in a dot, which stands for the root: it is the same host. */
export const requestHost = (c: Context): string => new URL(c.req.url).hostname.replace(/\.$/, '')

/** The paywall id of a request for its line in the log; undefined if it is not known. */
export const loggedPaywallId = (c: Context): string | undefined => loggablePaywallId(c.get(LOGGED) ?? c.req.param('id'))

/** A paywall id as the log may have it. An id is decimal; other text is the caller's own, and may be an e-mail address. */
export const loggablePaywallId = (paywallId: unknown): string | undefined =>
  typeof paywallId === 'string' && /^\d{1,19}$/.test(paywallId) ? paywallId : undefined
