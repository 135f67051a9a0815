import type { Ledger } from './account-context.ts'
import { invalidRequest } from './errors.ts'
import { includedList, objectById } from './object-by-id.ts'

/** Stripe's limit on how deep `expand` may reach. */
const MAXIMUM_DEPTH = 4

type Node = Record<string, unknown>

/** The object with the ids on each path (`latest_invoice.payments`, `data.invoice` in a list) replaced by what they name. */
export function expand(ledger: Ledger, object: object, paths: string[]): object {
  const expanded: Node = structuredClone({ ...object })
  for (const path of paths) {
    const parts = path.split('.')
    if (parts.length > MAXIMUM_DEPTH) throw invalidRequest(`You cannot expand more than ${MAXIMUM_DEPTH} levels.`)
    walk(ledger, expanded, parts, path)
  }
  return expanded
}

function walk(ledger: Ledger, node: Node, [member, ...rest]: string[], path: string): void {
  if (member === undefined) return
  const value = node[member] ?? included(ledger, node, member)
  if (value === null && member in node) return
  const found = typeof value === 'string' ? objectById(ledger, value) : value
  if (Array.isArray(found)) {
    for (const element of found) walk(ledger, element, rest, path)
    return
  }
  if (!isNode(found)) throw invalidRequest(`This property cannot be expanded (${path}).`, { param: 'expand' })
  node[member] = found
  walk(ledger, found, rest, path)
}

const included = (ledger: Ledger, node: Node, member: string) =>
  typeof node.id === 'string' ? includedList(ledger, node.id, member) : null

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null
