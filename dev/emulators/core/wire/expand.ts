import { type AccountContext, showById } from '../domain/context.ts'
import type { Table } from '../domain/records.ts'

type Node = Record<string, unknown>

interface Rules {
  /** The maximum number of fields in a path. */
  levels: number
  tooDeep(levels: number): Error
  notExpandable(path: string): Error
  /** A field that is included only on request; null if the object has no such field, `absent` if it may have it and has not. */
  included(context: AccountContext, id: string, field: string): object | 'absent' | null
  /** The object with an id that is in none of the tables below; null if there is none. */
  findOther(context: AccountContext, id: string): object | null
}

/**
 * Expands the requested paths: replaces the ids on each path by their objects. `invoice.payments` expands an object and then a field
 * of it, `data.invoice` each element of a list.
 */
export function expander({ levels, tooDeep, notExpandable, included, findOther }: Rules) {
  function walk(context: AccountContext, node: Node, [field, ...rest]: string[], path: string): void {
    if (field === undefined) return
    const value = node[field] ?? (typeof node.id === 'string' ? included(context, node.id, field) : null)
    if (value === 'absent' || (value === null && field in node)) return
    const found = typeof value === 'string' ? (showById(context, value, NAMED) ?? findOther(context, value)) : value
    if (Array.isArray(found)) {
      for (const element of found) walk(context, element, rest, path)
      return
    }
    if (!isNode(found)) throw notExpandable(path)
    node[field] = found
    walk(context, found, rest, path)
  }

  return (context: AccountContext, object: object, paths: string[]): object => {
    const expanded: Node = structuredClone({ ...object })
    for (const path of paths) {
      const fields = path.split('.')
      if (fields.length > levels) throw tooDeep(levels)
      walk(context, expanded, fields, path)
    }
    return expanded
  }
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** The tables whose ids can be expanded. */
const NAMED: Table[] = [
  'customers',
  'pages',
  'subscriptions',
  'invoices',
  'payments',
  'attempts',
  'refunds',
  'disputes',
]
