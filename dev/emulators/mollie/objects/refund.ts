import type { EntityChargeback, RefundResponse } from 'mollie-api-typescript/models'
import { modeOf } from '../accounts.ts'
import { dateTime } from '../dates.ts'
import type { ChargebackRecord, RefundRecord } from '../records.ts'
import { documentation, hal, type Wire } from './wire.ts'

export function refundObject(refund: RefundRecord, url: string): Wire<RefundResponse> {
  const payment = `${url}/v2/payments/${refund.payment}`
  return {
    resource: 'refund',
    id: refund.id,
    mode: modeOf(refund.account),
    description: refund.description,
    amount: refund.amount,
    metadata: refund.metadata,
    paymentId: refund.payment,
    status: 'refunded',
    createdAt: dateTime(refund.created),
    _links: {
      self: hal(`${payment}/refunds/${refund.id}`),
      payment: hal(payment),
      documentation: documentation('get-refund'),
    },
  }
}

export function chargebackObject(chargeback: ChargebackRecord, url: string): Wire<EntityChargeback> {
  const payment = `${url}/v2/payments/${chargeback.payment}`
  return {
    resource: 'chargeback',
    id: chargeback.id,
    amount: chargeback.amount,
    paymentId: chargeback.payment,
    createdAt: dateTime(chargeback.created),
    reversedAt: null,
    _links: {
      self: hal(`${payment}/chargebacks/${chargeback.id}`),
      payment: hal(payment),
      documentation: documentation('get-chargeback'),
    },
  }
}
