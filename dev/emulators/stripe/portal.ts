import * as z from 'zod'
import { newRecord } from '../core/tables.ts'
import { type AccountContext, find } from './account-context.ts'
import { text, webAddress } from './parameters.ts'
import type { InvoiceRecord, PortalSessionRecord, SubscriptionRecord } from './records.ts'

/** How long a portal's address works, in seconds. */
const LIFETIME_SECONDS = 3600

export const PortalParameters = z.strictObject({ customer: text(), return_url: webAddress.optional() })

/** What a customer's portal shows, the latest first. */
export interface PortalContents {
  subscriptions: SubscriptionRecord[]
  invoices: InvoiceRecord[]
}

export function openPortal(
  context: AccountContext,
  { customer: id, return_url: returnUrl }: z.output<typeof PortalParameters>,
): PortalSessionRecord {
  const customer = find(context, context.records.customers, 'customer', id, 'customer')
  const session = { ...newRecord(context, 'bps_'), customer: customer.id, returnUrl: returnUrl ?? null }
  context.records.portalSessions.set(session.id, session)
  return session
}

export const isExpired = (context: AccountContext, session: PortalSessionRecord) =>
  session.created + LIFETIME_SECONDS <= context.now

export function portalContents(
  { records }: AccountContext,
  { account, customer }: PortalSessionRecord,
): PortalContents {
  const theirs = <Row extends { account: string; customer: string }>(rows: ReadonlyMap<string, Row>) =>
    [...rows.values()].filter((row) => row.account === account && row.customer === customer).reverse()
  return { subscriptions: theirs(records.subscriptions), invoices: theirs(records.invoices) }
}
