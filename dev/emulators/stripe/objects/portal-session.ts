import type Stripe from 'stripe'
import type { PortalSessionRecord } from '../../core/domain/selling-records.ts'
import { nulls } from '../../core/wire/nulls.ts'
import type { Wire } from './wire.ts'

export function portalSessionObject(session: PortalSessionRecord, url: string): Wire<Stripe.BillingPortal.Session> {
  return {
    ...nulls('customer_account flow locale on_behalf_of'),
    id: session.id,
    object: 'billing_portal.session',
    configuration: 'bpc_emulator',
    created: session.created,
    customer: session.customer,
    livemode: false,
    return_url: session.returnUrl,
    url: `${url}/p/session/${session.id}`,
  }
}
