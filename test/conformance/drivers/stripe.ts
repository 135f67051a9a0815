import Stripe from 'stripe'
import { pageOwn } from '../../../dev/emulators/stripe/own.ts'
import type { Driver } from './driver.ts'
import { salesByInvoice } from './invoice-sales.ts'

export const STRIPE: Driver<'stripe'> = {
  prices: {
    monthly: 'price_monthly',
    yearly: 'price_yearly',
    plus: 'price_plus',
    lifetime: 'price_lifetime',
    pack: 'price_pack',
    local: 'price_monthly_eur',
  },
  sign({ body, at }, { webhookSecret: secret }) {
    const timestamp = Math.floor(at.getTime() / 1000)
    const { webhooks } = new Stripe('sk_test_unused')
    return { 'stripe-signature': webhooks.generateTestHeaderString({ payload: body, secret, timestamp }) }
  },
  // Stripe also signs test events with this scheme.
  otherScheme: ({ 'stripe-signature': signature = '' }) => ({
    'stripe-signature': signature.replace('v1=', 'v0='),
  }),
  namesPurchases: false,
  readsMayBeStale: false,
  newValues: { billing_reason: 'subscription_gift', tax_behavior: 'whim' },
  opensPage: /^\/v1\/checkout\/sessions$/,
  refusesEmail: {
    path: '/v1/checkout/sessions',
    status: 400,
    body: {
      error: {
        type: 'invalid_request_error',
        code: 'email_invalid',
        param: 'customer_email',
        message: 'Invalid email address: ada@acme.test',
      },
    },
  },
  accountReader: (_, { records }) => ({
    sales: () => salesByInvoice(records),
    pages: () =>
      records('pages').map((page) => ({
        checkoutId: pageOwn(page).metadata.checkout_id ?? '',
        isPaid: page.status === 'complete',
      })),
    pageLocale: (url) =>
      records('pages').flatMap((page) => (url.includes(page.id) ? [pageOwn(page).locale] : []))[0] ?? null,
  }),
}
