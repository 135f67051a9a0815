import type Stripe from 'stripe'
import type { PortalSessionRecord } from '../records.ts'
import type { Wire } from './wire.ts'

export function portalSessionObject(session: PortalSessionRecord, url: string): Wire<Stripe.BillingPortal.Session> {
  return {
    id: session.id,
    object: 'billing_portal.session',
    configuration: 'bpc_emulator',
    created: session.created,
    customer: session.customer,
    customer_account: null,
    flow: null,
    livemode: false,
    locale: null,
    on_behalf_of: null,
    return_url: session.returnUrl,
    url: `${url}/p/session/${session.id}`,
  }
}
