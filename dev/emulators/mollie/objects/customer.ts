import type { CustomerResponse } from 'mollie-api-typescript/models'
import type { AccountContext } from '../../core/domain/context.ts'
import type { CustomerRecord } from '../../core/domain/selling-records.ts'
import { modeOf } from '../accounts.ts'
import { dateTime } from '../dates.ts'
import { customerOwn } from '../own.ts'
import { dashboard, documentation, hal, type Wire } from './wire.ts'

export function customerObject(customer: CustomerRecord, { url }: AccountContext): Wire<CustomerResponse> {
  const { id, account, created, name, email } = customer
  const self = `${url}/v2/customers/${id}`
  return {
    resource: 'customer',
    id,
    mode: modeOf(account),
    name,
    email,
    ...customerOwn(customer),
    createdAt: dateTime(created),
    _links: {
      self: hal(self),
      dashboard: dashboard(`customers/${id}`),
      payments: hal(`${self}/payments`),
      mandates: hal(`${self}/mandates`),
      subscriptions: hal(`${self}/subscriptions`),
      documentation: documentation('get-customer'),
    },
  }
}
