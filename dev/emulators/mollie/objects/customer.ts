import type { CustomerResponse } from 'mollie-api-typescript/models'
import { modeOf } from '../accounts.ts'
import { dateTime } from '../dates.ts'
import type { CustomerRecord } from '../records.ts'
import { dashboard, documentation, hal, type Wire } from './wire.ts'

export function customerObject(customer: CustomerRecord, url: string): Wire<CustomerResponse> {
  const self = `${url}/v2/customers/${customer.id}`
  return {
    resource: 'customer',
    id: customer.id,
    mode: modeOf(customer.account),
    name: customer.name,
    email: customer.email,
    locale: customer.locale,
    metadata: customer.metadata,
    createdAt: dateTime(customer.created),
    _links: {
      self: hal(self),
      dashboard: dashboard(`customers/${customer.id}`),
      payments: hal(`${self}/payments`),
      mandates: hal(`${self}/mandates`),
      subscriptions: hal(`${self}/subscriptions`),
      documentation: documentation('get-customer'),
    },
  }
}
