import type { CustomerRecord, PortalSessionRecord } from '../../core/domain/selling-records.ts'
import { snakeFields } from '../../core/wire/snake.ts'
import { complete } from './wire.ts'

export const customerObject = (customer: CustomerRecord) =>
  complete('customer', {
    ...snakeFields(customer, 'id', 'created', 'email'),
    invoice_prefix: customer.id.slice(-8).toUpperCase(),
  })

export const portalSessionObject = (session: PortalSessionRecord, { url }: { url: string }) =>
  complete('billing_portal.session', {
    ...snakeFields(session, 'id', 'created', 'customer', 'returnUrl'),
    url: `${url}/p/session/${session.id}`,
  })
