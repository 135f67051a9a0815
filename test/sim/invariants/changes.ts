import { isDeepStrictEqual } from 'node:util'
import type { OwnerEvent } from '../owner-backend.ts'

export type EventSubscription = NonNullable<OwnerEvent['data']['subscription']>

/** A change of a subscription, with the types of all events about it. */
export interface Change {
  types: string[]
  was: EventSubscription | undefined
  is: EventSubscription
  /** By the paywall's clock, in milliseconds. */
  at: number
}

/** Events that report no change. */
const NO_CHANGES = ['subscription.trial_ending', 'subscription.stop_failed']

/** The owner's events about each subscription, in order. One change may emit several, each with the state before it. */
export function getChanges(events: OwnerEvent[]): Map<string, Change[]> {
  const changes = new Map<string, Change[]>()
  for (const { type, timestamp, data } of events) {
    const { subscription: is, previous: was } = data
    if (!is || NO_CHANGES.includes(type)) continue
    const own = changes.get(is.id) ?? []
    const last = own.at(-1)
    if (last && isDeepStrictEqual([last.was, last.is], [was, is])) last.types.push(type)
    else own.push({ types: [type], was, is, at: Date.parse(timestamp) })
    changes.set(is.id, own)
  }
  return changes
}

/** Since when a subscription has been past due, according to the owner's events; null if it is not past due after the last one. */
export function pastDueSince(changes: Change[]): number | null {
  const before = changes.findLastIndex(({ is }) => is.status !== 'past_due')
  return changes[before + 1]?.at ?? null
}
