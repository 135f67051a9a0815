import type { EntityChargeback, RefundResponse } from 'mollie-api-typescript/models'
import { type AccountContext, find } from '../../core/domain/context.ts'
import type { DisputeRecord, RefundRecord } from '../../core/domain/money-records.ts'
import { modeOf } from '../accounts.ts'
import { amountOf } from '../amounts.ts'
import { dateTime } from '../dates.ts'
import { refundOwn } from '../own.ts'
import { documentation, hal, type Wire } from './wire.ts'

export function refundObject(refund: RefundRecord, context: AccountContext): Wire<RefundResponse> {
  return {
    resource: 'refund',
    mode: modeOf(refund.account),
    ...refundOwn(refund),
    status: refund.status,
    ...common(refund, context),
    _links: links(refund, context, 'refund'),
  }
}

export function chargebackObject(chargeback: DisputeRecord, context: AccountContext): Wire<EntityChargeback> {
  const { status, closedAt } = chargeback
  return {
    resource: 'chargeback',
    ...common(chargeback, context),
    reversedAt: status === 'won' && closedAt !== null ? dateTime(closedAt) : null,
    _links: links(chargeback, context, 'chargeback'),
  }
}

type Reversal = RefundRecord | DisputeRecord

const common = ({ id, amount, payment, created }: Reversal, context: AccountContext) => ({
  id,
  amount: amountOf(amount, find(context, 'payments', payment).currency),
  paymentId: payment,
  createdAt: dateTime(created),
})

function links({ id, payment }: Reversal, { url }: AccountContext, kind: 'refund' | 'chargeback') {
  const address = `${url}/v2/payments/${payment}`
  return { self: hal(`${address}/${kind}s/${id}`), payment: hal(address), documentation: documentation(`get-${kind}`) }
}
