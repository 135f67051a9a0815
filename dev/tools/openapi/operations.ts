import { operations as balances } from '../../../functions/balances/contract.ts'
import { operations as bootstrap } from '../../../functions/bootstrap/contract.ts'
import { operations as cancelSubscription } from '../../../functions/cancel-subscription/contract.ts'
import { operations as changePlan } from '../../../functions/change-plan/contract.ts'
import { operations as checkoutReturn } from '../../../functions/checkout-return/contract.ts'
import { pages as console } from '../../../functions/console/contract.ts'
import { pages as docs } from '../../../functions/docs/contract.ts'
import { operations as endPurchase } from '../../../functions/end-purchase/contract.ts'
import { operations as getCustomerPortal } from '../../../functions/get-customer-portal/contract.ts'
import { operations as grants } from '../../../functions/grants/contract.ts'
import { operations as listEvents } from '../../../functions/list-events/contract.ts'
import { pages as sitePages } from '../../../functions/pages/contract.ts'
import { operations as processorWebhook } from '../../../functions/processor-webhook/contract.ts'
import { operations as refundPurchase } from '../../../functions/refund-purchase/contract.ts'
import { operations as signIn } from '../../../functions/sign-in/contract.ts'
import { operations as startCheckout } from '../../../functions/start-checkout/contract.ts'
import { operations as supportTicket } from '../../../functions/support-ticket/contract.ts'
import { operations as user } from '../../../functions/user/contract.ts'
import { operations as withdrawTokens } from '../../../functions/withdraw-tokens/contract.ts'
import type { ApiOperation, Endpoint } from '../../../lib/http/api-operation.ts'

/**
 * The operations of each Worker, by its name in wrangler.toml, in the order of the document: roughly that in which an
 * integrating developer needs them.
 */
const OPERATIONS: Record<string, ApiOperation[]> = {
  bootstrap,
  user,
  'start-checkout': startCheckout,
  'checkout-return': checkoutReturn,
  'cancel-subscription': cancelSubscription,
  'change-plan': changePlan,
  'end-purchase': endPurchase,
  'refund-purchase': refundPurchase,
  'get-customer-portal': getCustomerPortal,
  balances,
  'withdraw-tokens': withdrawTokens,
  grants,
  'support-ticket': supportTicket,
  'list-events': listEvents,
  'sign-in': signIn,
  'processor-webhook': processorWebhook,
}

/** Every operation of the API. */
export const operations: ApiOperation[] = Object.values(OPERATIONS).flat()

/** All endpoints behind the gateway by the name of their Worker: the API's operations, and pages for people. */
export const ENDPOINTS: Record<string, Endpoint[]> = { docs, ...OPERATIONS, pages: sitePages, console }
