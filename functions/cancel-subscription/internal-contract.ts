import * as z from 'zod'
import type { UserRefusal } from '../../lib/auth/gate.ts'
import { missingCredentialErrors, userErrors } from '../../lib/auth/gate-errors.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { paywallErrors } from '../../lib/http/shared-errors.ts'
import type { MemberRefusal } from '../../lib/members/member.ts'
import { memberErrors } from '../../lib/members/member-errors.ts'

/*
 * How the cancel page of a paywall takes an offer off a subscription that runs. Only the Worker `pages` calls it: the gateway has no route
 * to it.
 */

export const STAY_PATH = '/api/v1/paywall/:id/stay-offer'

export const StayBody = z.object(
  { subscriptionId: z.string('Invalid subscriptionId'), offer: z.string('Invalid offer') },
  'invalid_body',
)

export interface StayReply {
  accepted: true
}

/**
 * `not_running`: the subscription is not paid, or will not renew as it is. `discounted`: it has another discount at the processor, a
 * change of it is scheduled there, or its payment method does not allow one.
 */
export type StayRefusal = UserRefusal | MemberRefusal | 'unknown_subscription' | 'not_running' | 'invalid_offer'

export const stayErrors = defineErrors<StayRefusal | 'no_credential' | 'bad_token' | 'anonymous' | 'discounted'>({
  ...missingCredentialErrors,
  ...userErrors,
  ...paywallErrors,
  ...memberErrors,
  anonymous: [403, 'Unauthorized', "The token's user is anonymous"],
  unknown_subscription: [404, 'Subscription not found', 'The user has no such subscription on the paywall'],
  not_running: [409, 'subscription_not_running', 'The subscription is unpaid, or is about to end or to change'],
  invalid_offer: [400, 'invalid_offer', 'This subscriber cannot use the offer: see `reason`'],
  discounted: [
    409,
    'subscription_discounted',
    'The subscription has another discount, is about to change, or is paid in a way that allows none',
  ],
})
