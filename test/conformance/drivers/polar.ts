import { createHmac } from 'node:crypto'
import { pageOwn } from '../../../dev/emulators/polar/own.ts'
import type { Driver } from './driver.ts'
import { salesByInvoice } from './invoice-sales.ts'

/** The products. One product has the monthly price in both currencies. */
const MONTHLY = '2f6f0b7a-6a51-4c5e-9a4e-0b1f1c2e0001'

export const POLAR: Driver<'polar'> = {
  prices: {
    monthly: MONTHLY,
    yearly: '2f6f0b7a-6a51-4c5e-9a4e-0b1f1c2e0002',
    plus: '2f6f0b7a-6a51-4c5e-9a4e-0b1f1c2e0005',
    lifetime: '2f6f0b7a-6a51-4c5e-9a4e-0b1f1c2e0003',
    pack: '2f6f0b7a-6a51-4c5e-9a4e-0b1f1c2e0004',
    local: MONTHLY,
  },
  sign({ id, body, at }, { webhookSecret }) {
    const timestamp = Math.floor(at.getTime() / 1000)
    const signature = createHmac('sha256', webhookSecret).update(`${id}.${timestamp}.${body}`).digest('base64')
    return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` }
  },
  // Standard Webhooks also define a scheme with public keys.
  otherScheme: ({ 'webhook-signature': signature = '', ...others }) => ({
    ...others,
    'webhook-signature': signature.replace('v1,', 'v1a,'),
  }),
  namesPurchases: true,
  readsMayBeStale: true,
  newValues: { reason: 'whim', customer_cancellation_reason: 'whim' },
  opensPage: /^\/v1\/checkouts\/$/,
  refusesEmail: {
    path: '/v1/checkouts/',
    status: 422,
    body: {
      error: 'RequestValidationError',
      detail: [
        { type: 'value_error', loc: ['body', 'customer_email'], msg: 'ada@acme.test is not a valid email address' },
      ],
    },
  },
  accountReader: (_, { records }) => ({
    sales: () => salesByInvoice(records),
    pages: () =>
      records('pages').map((page) => ({
        checkoutId: String(pageOwn(page).metadata.checkout_id),
        isPaid: page.status === 'complete',
      })),
    pageLocale: (url) =>
      records('pages').flatMap((page) => (url.includes(page.id) ? [pageOwn(page).locale] : []))[0] ?? null,
  }),
}
