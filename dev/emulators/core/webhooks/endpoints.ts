import * as z from 'zod'
import { accountSetting } from '../controls/settings.ts'
import type { Records } from '../domain/records.ts'

/** The paywalls whose webhook endpoint the processor has disabled. Owners enable it again in the dashboard. */
export const DISABLED_ENDPOINTS = accountSetting('paywalls', z.array(z.string()), [])

/** Whether all attempts have failed for each of the last `count` events that were sent to a paywall's endpoint. */
export function hasFailedInARow(
  { events }: Records,
  { account, paywallId, count }: { account: string; paywallId: string; count: number },
): boolean {
  const outcomes = [...events.values()]
    .filter((event) => event.account === account)
    .flatMap((event) => event.outcomes[paywallId] ?? [])
  const last = outcomes.slice(-count)
  return last.length === count && last.every((isDelivered) => !isDelivered)
}
