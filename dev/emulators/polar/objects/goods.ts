import type { models } from '@polar-sh/sdk/2026-10'
import { type AccountContext, find } from '../../core/domain/context.ts'
import type { CustomerRecord, SoldPrice } from '../../core/domain/selling-records.ts'
import { nulls } from '../../core/wire/nulls.ts'
import { uuidOf } from '../accounts.ts'
import { customerOwn } from '../own.ts'
import { timeText } from '../rules.ts'

/** When something was made, of what is never changed here. */
export const since = (seconds: number) => ({ created_at: timeText(seconds), modified_at: null })

export const customerObject = (customer: CustomerRecord): models.CustomerIndividual => ({
  ...nulls('billing_name billing_address tax_id locale default_payment_method_id deleted_at first_user_event_at'),
  ...since(customer.created),
  ...{ id: customer.id, organization_id: customer.account, type: 'individual', name: customer.name, metadata: {} },
  ...{ email: customer.email ?? '', email_verified: false, avatar_url: null },
  external_id: customerOwn(customer).externalId,
})

export const customerOf = (context: AccountContext, id: string) => customerObject(find(context, 'customers', id))

/** Products are made in the dashboard, before anything else. */
const MADE = Date.UTC(2026, 0, 1) / 1000

export const priceObject = (price: SoldPrice): models.ProductPriceFixed => ({
  ...since(MADE),
  ...{ id: priceIdOf(price), product_id: price.id, price_currency: price.currency, price_amount: price.amount },
  ...{ source: 'catalog', amount_type: 'fixed', tax_behavior: null, is_archived: false },
})

export const priceIdOf = ({ id, currency }: SoldPrice) => uuidOf(`price ${id} ${currency}`)

/** What products have wherever they are shown. */
export const productFields = ({ account }: AccountContext, { id, label, interval, intervalCount }: SoldPrice) => ({
  ...since(MADE),
  ...nulls('description trial_interval trial_interval_count meter_interval meter_interval_count'),
  ...{ id, name: label, visibility: 'public' as const, is_archived: false, organization_id: account.id },
  ...{ is_recurring: interval !== null, recurring_interval: interval },
  recurring_interval_count: interval === null ? null : (intervalCount ?? 1),
})
