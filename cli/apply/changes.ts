// What applying a paywall file changes, as people and programs read it.
import * as z from 'zod'
import { sameJson } from './stored.ts'

/** Whose subscriptions lose something: those of one price, of one paywall, or all of the owner's. */
export type Scope = { paywallId: string; priceId: string } | { paywallId: string } | 'all'

/** An owner key that is revoked: the sessions that it minted go on. */
export interface RevokedKey {
  keyId: string
}

export interface Change {
  /** `key backend`, `live webhook https://…`, `paywall 1001`, `paywall 1001: price monthly`. */
  what: string
  /** What becomes of it; null where `fields` say it all. */
  how: string | null
  fields: FieldChange[]
  /** What is revoked, retired, disabled or switched away from; null if nothing is taken from anybody. */
  loss: Loss | null
}

export interface FieldChange {
  /** As in the paywall file: `settings.brand_color`. */
  path: string
  /** Undefined: it was not there. */
  old: unknown
  /** Undefined: it is taken out. */
  new: unknown
}

interface Loss {
  scope: Scope | RevokedKey
  /** How many users with a running subscription it touches. Null until they are counted, and where a key is revoked. */
  subscribers: number | null
  /** How many live sessions the key has minted. Null until they are counted, and where no key is revoked. */
  sessions: number | null
}

/** Something is new, or becomes something that is no value of a field. */
export const toChange = (what: string, how: string): Change => ({ what, how, fields: [], loss: null })

/** Fields of something change; null if none does. */
export function toFieldChange(what: string, fields: FieldChange[]): Change | null {
  return fields.length > 0 ? { what, how: null, fields, loss: null } : null
}

/** Something is taken away. */
export function toLoss(what: string, how: string | null, scope: Loss['scope'], fields: FieldChange[] = []): Change {
  return { what, how, fields, loss: { scope, subscribers: null, sessions: null } }
}

/** A change as `--json` has it. */
export function changeJson({ what, how, fields, loss }: Change) {
  const values = fields.map(({ path, old = null, new: next = null }) => ({ path, old, new: next }))
  const counts = { subscribers: loss?.subscribers ?? null, sessions: loss?.sessions ?? null }
  return { what, how, fields: values, destructive: loss !== null, ...counts }
}

/** What differs between two values, field by field. Lists of different lengths differ as a whole. */
export function fieldsBetween(old: unknown, next: unknown, path: PropertyKey[] = []): FieldChange[] {
  if (sameJson(old, next)) return []
  const keys = commonKeys(old, next)
  if (keys === null) return [{ path: z.core.toDotPath(path), old, new: next }]
  return keys.flatMap((key) => fieldsBetween(valueAt(old, key), valueAt(next, key), [...path, key]))
}

/** Null where the values are no two objects, or lists of one length. */
function commonKeys(old: unknown, next: unknown): (string | number)[] | null {
  if (Array.isArray(old) && Array.isArray(next)) return old.length === next.length ? [...old.keys()] : null
  if (!isObject(old) || !isObject(next)) return null
  return [...new Set([...Object.keys(old), ...Object.keys(next)])]
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const valueAt = (value: unknown, key: PropertyKey): unknown =>
  Object.hasOwn(Object(value), key) ? Reflect.get(Object(value), key) : undefined
