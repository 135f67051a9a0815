// The changes that applying a paywall file makes, for text and JSON output.
import * as z from 'zod'
import { sameJson } from './stored.ts'

/** Whose subscriptions are affected: those of one price, of one paywall, or all of the owner's. */
export type Scope = { paywallId: string; priceId: string } | { paywallId: string } | 'all'

/** A revoked owner key. The sessions that it minted stay valid. */
export interface RevokedKey {
  keyId: string
}

export interface Change {
  /** `key backend`, `live webhook https://…`, `paywall 1001`, `paywall 1001: price monthly`. */
  what: string
  /** What happens to it; null if `fields` describe the change. */
  how: string | null
  fields: FieldChange[]
  /** Set for a destructive change: something is revoked, retired, disabled or replaced by another processor or domain. */
  impact: Impact | null
}

export interface FieldChange {
  /** As in the paywall file: `settings.brand_color`. */
  path: string
  /** Undefined if the field is added. */
  old: unknown
  /** Undefined if the field is removed. */
  new: unknown
}

/** Whom a destructive change affects. */
interface Impact {
  scope: Scope | RevokedKey
  /** The number of users with a running subscription. Null until counted, and for a revoked key. */
  subscribers: number | null
  /** The number of live sessions that the key has minted. Null until counted, and unless a key is revoked. */
  sessions: number | null
}

/** A change described by a phrase instead of by fields. */
export const toChange = (what: string, how: string): Change => ({ what, how, fields: [], impact: null })

/** A change of fields; null if none changes. */
export function toFieldChange(what: string, fields: FieldChange[]): Change | null {
  return fields.length > 0 ? { what, how: null, fields, impact: null } : null
}

export function toDestructiveChange(
  what: string,
  how: string | null,
  scope: Impact['scope'],
  fields: FieldChange[] = [],
): Change {
  return { what, how, fields, impact: { scope, subscribers: null, sessions: null } }
}

/** A change as `--json` prints it. */
export function changeJson({ what, how, fields, impact }: Change) {
  const values = fields.map(({ path, old = null, new: next = null }) => ({ path, old, new: next }))
  const counts = { subscribers: impact?.subscribers ?? null, sessions: impact?.sessions ?? null }
  return { what, how, fields: values, destructive: impact !== null, ...counts }
}

/** Compares two values field by field. Lists of different lengths are compared as a whole. */
export function fieldsBetween(old: unknown, next: unknown, path: PropertyKey[] = []): FieldChange[] {
  if (sameJson(old, next)) return []
  const keys = commonKeys(old, next)
  if (keys === null) return [{ path: z.core.toDotPath(path), old, new: next }]
  return keys.flatMap((key) => fieldsBetween(valueAt(old, key), valueAt(next, key), [...path, key]))
}

/** Null unless both values are objects, or lists of the same length. */
function commonKeys(old: unknown, next: unknown): (string | number)[] | null {
  if (Array.isArray(old) && Array.isArray(next)) return old.length === next.length ? [...old.keys()] : null
  if (!isObject(old) || !isObject(next)) return null
  return [...new Set([...Object.keys(old), ...Object.keys(next)])]
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const valueAt = (value: unknown, key: PropertyKey): unknown =>
  Object.hasOwn(Object(value), key) ? Reflect.get(Object(value), key) : undefined
