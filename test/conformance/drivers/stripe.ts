import Stripe from 'stripe'
import { pageOwn } from '../../../dev/emulators/stripe/own.ts'
import { byInvoice } from './by-invoice.ts'
import type { Driver } from './driver.ts'
import { latestPaid } from './records.ts'

export const STRIPE: Driver<'stripe'> = {
  prices: {
    monthly: 'price_monthly',
    yearly: 'price_yearly',
    lifetime: 'price_lifetime',
    local: 'price_monthly_eur',
  },
  sign({ body, at }, { webhookSecret: secret }) {
    const timestamp = Math.floor(at.getTime() / 1000)
    const { webhooks } = new Stripe('sk_test_unused')
    return { 'stripe-signature': webhooks.generateTestHeaderString({ payload: body, secret, timestamp }) }
  },
  // What Stripe signs test events with, besides.
  ofAnotherScheme: ({ 'stripe-signature': signature = '' }) => ({
    'stripe-signature': signature.replace('v1=', 'v0='),
  }),
  opensPage: /^\/v1\/checkout\/sessions$/,
  there: (stripe, { records }) => ({
    ...byInvoice(stripe, records),
    refund: (id, cents) => stripe.refund(latestPaid(records, id), cents),
    dispute: (id) => stripe.dispute(latestPaid(records, id)),
    rollOver: (id) => stripe.rollOver(id),
    pages: () =>
      records('pages').map((page) => ({
        checkoutId: pageOwn(page).metadata.checkout_id ?? '',
        isPaid: page.status === 'complete',
      })),
  }),
}
