import type { Context, HonoRequest } from 'hono'
import { logSubject } from '../log/log.ts'
import { apiError } from './errors.ts'
import { sharedErrors } from './shared-errors.ts'

/** The paywall in a call's path, and the host that the call was sent to. */
export type PaywallTarget = { paywallId: string; host: string }

/**
 * The paywall that a request is about, and the host that it was sent to. If the path does not name the paywall, the body or the token does:
 * then `paywallId` is given.
 */
export const paywallTarget = (c: Context, paywallId = c.req.param('id') ?? ''): PaywallTarget => ({
  paywallId,
  host: requestHost(c),
})

/**
 * Compares `X-Paywall-Id` with the paywall of the request. A client that sends it states the paywall it was built for, so a difference is a
 * mistake, and nothing must happen on either paywall. Async for use with `rejectInvalidKeyFirst`.
 *
 * @throws ApiError 400 `paywall_id_mismatch`
 */
export async function checkPaywallId(request: HonoRequest, { paywallId }: PaywallTarget): Promise<void> {
  const named = request.header('x-paywall-id')
  if (named === undefined || named === paywallId) return
  throw apiError(sharedErrors.paywall_id_mismatch, {
    message: '`X-Paywall-Id` differs from the paywall of the request',
  })
}

/**
 * Adds the paywall to the log line of a request whose path does not name it. Call it as soon as the paywall is known, so that the line has
 * it whatever is wrong with the rest of the request.
 */
export function logPaywall(paywallId: unknown): void {
  const id = loggablePaywallId(paywallId)
  if (id !== undefined) logSubject({ paywall_id: id })
}

/** The host of a request. A trailing dot, which stands for the DNS root, is removed: it is the same host. */
export const requestHost = (c: Context): string => new URL(c.req.url).hostname.replace(/\.$/, '')

/** A paywall id if it may be logged. An id is decimal; other text comes from the caller and may be an e-mail address. */
export const loggablePaywallId = (paywallId: unknown): string | undefined =>
  typeof paywallId === 'string' && /^\d{1,19}$/.test(paywallId) ? paywallId : undefined
