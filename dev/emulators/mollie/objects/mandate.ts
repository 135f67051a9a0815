import type { MandateResponse } from 'mollie-api-typescript/models'
import type { AccountContext } from '../../core/domain/context.ts'
import type { MandateRecord } from '../../core/domain/selling-records.ts'
import { modeOf } from '../accounts.ts'
import { dateOf, dateTime } from '../dates.ts'
import { mandateStatus } from '../subscriptions.ts'
import { documentation, hal, type Wire } from './wire.ts'

export function mandateObject(mandate: MandateRecord, context: AccountContext): Wire<MandateResponse> {
  const customer = `${context.url}/v2/customers/${mandate.customer}`
  return {
    resource: 'mandate',
    id: mandate.id,
    mode: modeOf(mandate.account),
    method: mandate.method,
    details: {},
    signatureDate: dateOf(mandate.created),
    mandateReference: null,
    status: mandateStatus(context, mandate),
    customerId: mandate.customer,
    createdAt: dateTime(mandate.created),
    _links: {
      self: hal(`${customer}/mandates/${mandate.id}`),
      customer: hal(customer),
      documentation: documentation('get-mandate'),
    },
  }
}
