import type { AccountContext } from './account-context.ts'
import { invalidRequest } from './errors.ts'
import { includedList, objectById } from './object-by-id.ts'

/** Stripe's limit on how deep `expand` may reach. */
const MAXIMUM_DEPTH = 4

type Node = Record<string, unknown>

/**
 * Replaces the ids on each path by the objects they name, as in `latest_invoice.payments`, or `data.invoice` in a list.
 */
export function expand(context: AccountContext, object: object, paths: string[]): object {
  const expanded: Node = structuredClone({ ...object })
  for (const path of paths) {
    const parts = path.split('.')
    if (parts.length > MAXIMUM_DEPTH) throw invalidRequest(`You cannot expand more than ${MAXIMUM_DEPTH} levels.`)
    walk(context, expanded, parts, path)
  }
  return expanded
}

function walk(context: AccountContext, node: Node, [field, ...rest]: string[], path: string): void {
  if (field === undefined) return
  const value = node[field] ?? included(context, node, field)
  if (value === null && field in node) return
  const found = typeof value === 'string' ? objectById(context, value) : value
  if (Array.isArray(found)) {
    for (const element of found) walk(context, element, rest, path)
    return
  }
  if (!isNode(found)) throw invalidRequest(`This property cannot be expanded (${path}).`, { param: 'expand' })
  node[field] = found
  walk(context, found, rest, path)
}

const included = (context: AccountContext, node: Node, field: string) =>
  typeof node.id === 'string' ? includedList(context, node.id, field) : null

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null
