import type Stripe from 'stripe'
import type { CustomerRecord } from '../../core/domain/selling-records.ts'
import { nulls } from '../../core/wire/nulls.ts'
import type { Wire } from './wire.ts'

export function customerObject({ id, created, email }: CustomerRecord): Wire<Stripe.Customer> {
  return {
    ...nulls('address currency customer_account default_source description discount name phone shipping test_clock'),
    id,
    object: 'customer',
    balance: 0,
    created,
    delinquent: false,
    email,
    invoice_prefix: id.slice(-8).toUpperCase(),
    invoice_settings: nulls('custom_fields default_payment_method footer rendering_options'),
    livemode: false,
    metadata: {},
    preferred_locales: [],
    tax_exempt: 'none',
  }
}
