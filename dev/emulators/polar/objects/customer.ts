import type { models } from '@polar-sh/sdk/2026-10'
import { type AccountContext, find } from '../../core/domain/context.ts'
import type { CustomerRecord } from '../../core/domain/selling-records.ts'
import { nulls } from '../../core/wire/nulls.ts'
import { customerOwn } from '../own.ts'
import { timeText } from '../rules.ts'

export const customerObject = (customer: CustomerRecord): models.CustomerIndividual => ({
  ...nulls('modified_at billing_name billing_address tax_id locale default_payment_method_id deleted_at'),
  first_user_event_at: null,
  id: customer.id,
  created_at: timeText(customer.created),
  metadata: {},
  external_id: customerOwn(customer).externalId,
  email: customer.email ?? '',
  email_verified: false,
  type: 'individual',
  name: customer.name,
  organization_id: customer.account,
  avatar_url: null,
})

export const customerOf = (context: AccountContext, id: string) => customerObject(find(context, 'customers', id))
