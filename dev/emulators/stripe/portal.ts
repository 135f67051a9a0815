import * as z from 'zod'
import { newRecord } from '../core/new-record.ts'
import { find, type Ledger } from './account-context.ts'
import { text, webAddress } from './parameters.ts'
import type { InvoiceRecord, PortalSessionRecord, SubscriptionRecord } from './records.ts'

/** How long a portal's address works, in seconds. */
const LIFETIME_SECONDS = 3600

export const PortalParameters = z.strictObject({ customer: text(), return_url: webAddress.optional() })

/** What a customer finds in its portal, the latest first. */
export interface PortalContents {
  subscriptions: SubscriptionRecord[]
  invoices: InvoiceRecord[]
}

export function openPortal(
  ledger: Ledger,
  { customer: id, return_url: returnUrl }: z.output<typeof PortalParameters>,
): PortalSessionRecord {
  const customer = find(ledger, ledger.records.customers, 'customer', id, 'customer')
  const session = { ...newRecord(ledger, 'bps_'), customer: customer.id, returnUrl: returnUrl ?? null }
  ledger.records.portalSessions.set(session.id, session)
  return session
}

export const isExpired = (ledger: Ledger, session: PortalSessionRecord) =>
  session.created + LIFETIME_SECONDS <= ledger.now

export function portalContents({ records }: Ledger, { account, customer }: PortalSessionRecord): PortalContents {
  const theirs = <Row extends { account: string; customer: string }>(rows: ReadonlyMap<string, Row>) =>
    [...rows.values()].filter((row) => row.account === account && row.customer === customer).reverse()
  return { subscriptions: theirs(records.subscriptions), invoices: theirs(records.invoices) }
}
