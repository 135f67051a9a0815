import { type AccountContext, all } from '../core/domain/context.ts'
import { refundsOf } from '../core/domain/reversals.ts'
import { showById } from '../core/wire/views.ts'
import { refused } from './errors.ts'
import { invoicePayments } from './objects/invoice.ts'
import { chargeById } from './objects/payment.ts'
import { checkoutLineItems } from './objects/sessions.ts'
import { VIEWS } from './objects/views.ts'
import { listOf } from './objects/wire.ts'

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
    if (parts.length > MAXIMUM_DEPTH) throw refused('too_deep', { levels: MAXIMUM_DEPTH })
    walk(context, expanded, parts, path)
  }
  return expanded
}

function walk(context: AccountContext, node: Node, [field, ...rest]: string[], path: string): void {
  if (field === undefined) return
  const value = node[field] ?? (typeof node.id === 'string' ? includedList(context, node.id, field) : null)
  if (value === null && field in node) return
  const found = typeof value === 'string' ? (showById(context, VIEWS, value) ?? chargeById(context, value)) : value
  if (Array.isArray(found)) {
    for (const element of found) walk(context, element, rest, path)
    return
  }
  if (!isNode(found)) throw refused('not_expandable', { path })
  node[field] = found
  walk(context, found, rest, path)
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** A list that Stripe adds to an object only if `expand` asks for it; null if the object has no such list. */
function includedList(context: AccountContext, id: string, field: string): object | null {
  const session = context.records.pages.get(id)
  if (session && field === 'line_items') return checkoutLineItems(session)
  const invoice = context.records.invoices.get(id)
  if (invoice && field === 'payments') return listOf('/v1/invoice_payments', invoicePayments(invoice))
  const payment = all(context, 'payments').find(({ attempts }) => attempts.at(-1)?.id === id)
  if (!payment || field !== 'refunds') return null
  const refunds = refundsOf(context, payment).map((refund) => VIEWS.refunds(refund, context))
  return listOf(`/v1/charges/${id}/refunds`, refunds)
}
