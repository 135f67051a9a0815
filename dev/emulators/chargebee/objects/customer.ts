import type { Customer } from 'chargebee'
import type { CustomerRecord } from '../../core/domain/selling-records.ts'
import { version, type Wire } from './wire.ts'

export const customerObject = ({ id, email, created }: CustomerRecord): Wire<Customer> => ({
  id,
  ...(email !== null && { email }),
  auto_collection: 'on',
  net_term_days: 0,
  allow_direct_debit: false,
  created_at: created,
  taxability: 'taxable',
  ...version(created),
  pii_cleared: 'active',
  channel: 'web',
  card_status: 'valid',
  promotional_credits: 0,
  refundable_credits: 0,
  excess_payments: 0,
  unbilled_charges: 0,
  deleted: false,
  object: 'customer',
})
