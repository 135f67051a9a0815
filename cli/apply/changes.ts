// What applying a paywall file changes, as people and programs read it.
import * as z from 'zod'
import { sameJson } from './stored.ts'

/** Whose subscriptions lose something: those of one price, of one paywall, or all of the owner's. */
export type Scope = { paywallId: string; priceId: string } | { paywallId: string } | 'all'

export interface Change {
  /** `key backend`, `webhook https://…`, `paywall 1001`, `paywall 1001: price monthly`. */
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
  /** Null: no subscriber's. */
  scope: Scope | null
  /** How many users with a running subscription it touches. Null until they are counted, and where `scope` is null. */
  subscribers: number | null
}

/** Something is new, or becomes something that is no value of a field. */
export const changeOf = (what: string, how: string): Change => ({ what, how, fields: [], loss: null })

/** Fields of something change; null if none does. */
export function changeOfFields(what: string, fields: FieldChange[]): Change | null {
  return fields.length > 0 ? { what, how: null, fields, loss: null } : null
}

/** Something is taken away. */
export function lossOf(what: string, how: string | null, scope: Scope | null, fields: FieldChange[] = []): Change {
  return { what, how, fields, loss: { scope, subscribers: null } }
}

/** A change as `--json` has it. */
export function changeJson({ what, how, fields, loss }: Change) {
  const values = fields.map(({ path, old = null, new: next = null }) => ({ path, old, new: next }))
  return { what, how, fields: values, destructive: loss !== null, subscribers: loss?.subscribers ?? null }
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
