import type { models } from '@polar-sh/sdk/2026-10'
import { type AccountContext, find } from '../../core/domain/context.ts'
import type { CustomerRecord, PortalSessionRecord } from '../../core/domain/selling-records.ts'
import { customerOwn } from '../own.ts'
import { PORTAL_SECONDS } from '../rules.ts'
import { complete, since, timeText } from './wire.ts'

export const customerObject = (customer: CustomerRecord) =>
  complete('customer', {
    ...since(customer.created),
    ...{ id: customer.id, organization_id: customer.account, name: customer.name, email: customer.email ?? '' },
    ...customerOwn(customer),
  })

export const customerOf = (context: AccountContext, id: string) => customerObject(find(context, 'customers', id))

export const portalObject = ({ id, created, returnUrl, customer }: PortalSessionRecord, context: AccountContext) =>
  ({
    ...since(created),
    ...{ id, token: `polar_cst_${id}`, expires_at: timeText(created + PORTAL_SECONDS), return_url: returnUrl },
    customer_portal_url: `${context.url}/portal/polar_cst_${id}`,
    ...{ customer_id: customer, customer: customerOf(context, customer) },
  }) satisfies models.CustomerSession
