import { operations as balances } from '../../../functions/balances/contract.ts'
import { operations as bootstrap } from '../../../functions/bootstrap/contract.ts'
import { operations as cancelSubscription } from '../../../functions/cancel-subscription/contract.ts'
import { operations as checkoutReturn } from '../../../functions/checkout-return/contract.ts'
import { operations as getCustomerPortal } from '../../../functions/get-customer-portal/contract.ts'
import { operations as processorWebhook } from '../../../functions/processor-webhook/contract.ts'
import { operations as signIn } from '../../../functions/sign-in/contract.ts'
import { operations as startCheckout } from '../../../functions/start-checkout/contract.ts'
import { operations as supportTicket } from '../../../functions/support-ticket/contract.ts'
import { operations as user } from '../../../functions/user/contract.ts'
import { operations as withdrawTokens } from '../../../functions/withdraw-tokens/contract.ts'
import type { ApiOperation } from '../../../lib/http/api-operation.ts'

/** All that the service can be asked, in the order in which one gets to know it. */
export const operations: ApiOperation[] = [
  ...bootstrap,
  ...user,
  ...startCheckout,
  ...checkoutReturn,
  ...cancelSubscription,
  ...getCustomerPortal,
  ...balances,
  ...withdrawTokens,
  ...supportTicket,
  ...signIn,
  ...processorWebhook,
]
