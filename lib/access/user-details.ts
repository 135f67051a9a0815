// What an owner reads of its users, in the console and by `paywall users`.
import type { ConsoleGrant, ConsolePurchase } from './explain-access.ts'

/** A user in a list, as listed_user_json in search-users.sql gives it. */
export interface ListedUser {
  id: string
  email: string | null
  external_id: string | null
  created_at: string
  is_erased: boolean
  /** By which the owner calls the user on its paywalls. */
  names: string[]
  is_merged: boolean
  has_access: boolean
  purchases: number
}

/** Everything about a user, as user_details_json in show-user.sql gives it. */
export interface UserDetails {
  user: {
    id: string
    email: string | null
    external_id: string | null
    created_at: string
    is_erased: boolean
    /** The users that were merged into this one. */
    merged_ids: string[]
  }
  memberships: Membership[]
  tickets: { id: number; subject: string; status: string; created_at: string }[]
  sessions: { id: string; paywall_id: string; created_at: string; key: string | null }[]
  timeline: TimelineEntry[]
}

/** What a user has on one paywall. */
export interface Membership {
  paywall: { id: string; name: string }
  name: string | null
  meta: Record<string, unknown>
  buyer_meta: Record<string, unknown>
  purchases: ConsolePurchase[]
  grants: ConsoleGrant[]
  balances: { type: string; count: number }[]
  /** The slugs of the prices whose features can be given. */
  prices: string[]
  token_types: string[]
}

/** What has happened to a user. */
export type TimelineEntry = { at: string; paywall_id: string | null } & (
  | { kind: 'event'; id: string; type: string; deliveries: { state: string }[] }
  | { kind: 'balance'; type: string; delta: number; count_after: number; reason: string }
  | { kind: 'checkout'; id: string; price_slug: string; acquiring: string; completed_at: string | null }
  | { kind: 'act'; act: string; email: string; subject: string | null; reason: string | null }
)
