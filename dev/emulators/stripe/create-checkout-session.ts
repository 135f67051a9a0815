import * as z from 'zod'
import { findPrice } from '../core/domain/accounts.ts'
import { type AccountContext, find } from '../core/domain/context.ts'
import { openPage } from '../core/domain/pages.ts'
import type { PageRecord } from '../core/domain/selling-records.ts'
import { email, integer, text, webAddress } from '../core/wire/form-fields.ts'
import { refuseUncharged } from './currencies.ts'
import { refuseOtherCurrency } from './customer-currency.ts'
import { invalidRequest, noSuch } from './errors.ts'
import type { PageOwn } from './own.ts'
import { metadata } from './parameters.ts'

const LONGEST_SECONDS = 24 * 3600
const SHORTEST_SECONDS = 30 * 60

export const CheckoutSessionParameters = z.strictObject({
  mode: z.enum(['payment', 'subscription']),
  line_items: z
    .array(z.strictObject({ price: text(), quantity: integer(1, 999_999).default(1) }))
    .length(1, 'the emulator sells exactly one line item'),
  success_url: webAddress,
  cancel_url: webAddress.optional(),
  customer: text().optional(),
  customer_email: email.optional(),
  customer_creation: z.enum(['always', 'if_required']).optional(),
  client_reference_id: text(200).optional(),
  metadata: metadata.optional(),
  subscription_data: z
    .strictObject({ trial_period_days: integer(1, 730).optional(), metadata: metadata.optional() })
    .optional(),
  payment_intent_data: z.strictObject({ metadata: metadata.optional() }).optional(),
  expires_at: integer(0).optional(),
})

type Parameters = z.output<typeof CheckoutSessionParameters>

/** Opens a checkout session. Throws Stripe's error if parameters contradict each other or name an unknown object. */
export function createCheckoutSession(context: AccountContext, parameters: Parameters): PageRecord {
  refuseContradictions(parameters)
  const { subscription_data: subscription, payment_intent_data: payment } = parameters
  const own: z.output<typeof PageOwn> = {
    metadata: parameters.metadata ?? {},
    clientReferenceId: parameters.client_reference_id ?? null,
    customerEmail: parameters.customer_email ?? null,
  }
  const sold = { mode: parameters.mode, ...itemOf(context, parameters), ...payer(context, parameters) }
  refuseOtherCurrency(context, sold)
  return openPage(context, {
    ...sold,
    expiresAt: expiry(context, parameters.expires_at),
    successUrl: parameters.success_url,
    cancelUrl: parameters.cancel_url ?? null,
    makesCustomer: parameters.customer_creation === 'always',
    trialDays: subscription?.trial_period_days ?? null,
    own,
    gives: {
      customer: {},
      subscription: { metadata: subscription?.metadata ?? {} },
      payment: { metadata: payment?.metadata ?? {} },
    },
    chosenIds: {},
  })
}

function refuseContradictions(parameters: Parameters): void {
  const { mode } = parameters
  const misplaced = mode === 'payment' ? ('subscription_data' as const) : ('payment_intent_data' as const)
  if (parameters[misplaced]) {
    throw invalidRequest(`You can not pass \`${misplaced}\` in \`${mode}\` mode.`, { param: misplaced })
  }
  if (parameters.customer_creation && mode !== 'payment') {
    throw invalidRequest('`customer_creation` can only be used in `payment` mode.', { param: 'customer_creation' })
  }
  if (parameters.customer && parameters.customer_email) {
    throw invalidRequest('You may only specify one of these parameters: customer, customer_email.')
  }
}

function itemOf(context: AccountContext, { mode, line_items: [item], metadata: about }: Parameters) {
  const param = 'line_items[0][price]'
  const priceId = item?.price ?? ''
  const sold = findPrice(context.account, priceId)
  if (!sold) throw noSuch('prices', priceId, param)
  refuseUncharged(sold.price.amount, sold.price.currency, param)
  if (mode === 'payment' && sold.price.interval) {
    throw invalidRequest(
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
      { param },
    )
  }
  if (mode === 'subscription' && !sold.price.interval) {
    throw invalidRequest('You must provide at least one recurring price in `subscription` mode when using prices.', {
      param,
    })
  }
  // Paywalls of one account may sell the same price: the metadata says which of them does, and the page shows its name.
  const seller = context.account.paywalls.find(({ paywallId }) => paywallId === about?.paywall_id) ?? sold.seller
  const price = { ...sold.price, currency: sold.price.currency.toLowerCase() }
  return { price, quantity: item?.quantity ?? 1, seller: seller.paywallName ?? '' }
}

function payer(context: AccountContext, parameters: Parameters) {
  if (parameters.customer === undefined) return { customer: null, email: parameters.customer_email ?? null }
  const { id, email } = find(context, 'customers', parameters.customer, 'customer')
  return { customer: id, email }
}

function expiry(context: AccountContext, expiresAt: number | undefined): number {
  const at = expiresAt ?? context.now + LONGEST_SECONDS
  if (at > context.now + LONGEST_SECONDS) {
    throw invalidRequest('The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.', {
      param: 'expires_at',
    })
  }
  if (at < context.now + SHORTEST_SECONDS) {
    throw invalidRequest('The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.', {
      param: 'expires_at',
    })
  }
  return at
}
