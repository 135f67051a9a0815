import { INVOICE_PREFIX } from '../../../dev/emulators/chargebee/bills.ts'
import { refundOwn, saleOwn } from '../../../dev/emulators/chargebee/own.ts'
import type { PageRecord } from '../../../dev/emulators/core/domain/selling-records.ts'
import { byInvoice } from './by-invoice.ts'
import type { Driver } from './driver.ts'
import { latestPaid } from './records.ts'

export const CHARGEBEE: Driver<'chargebee'> = {
  prices: {
    monthly: 'pro-USD-monthly',
    yearly: 'pro-USD-yearly',
    lifetime: 'lifetime-USD',
    local: 'pro-EUR-monthly',
  },
  sign: (_, { webhookUser, webhookPassword }) => ({
    authorization: `Basic ${Buffer.from(`${webhookUser}:${webhookPassword}`).toString('base64')}`,
  }),
  ofAnotherScheme: ({ authorization = '' }) => ({ authorization: authorization.replace('Basic', 'Bearer') }),
  opensPage: /^\/api\/v2\/hosted_pages\/checkout_/,
  there: (chargebee, { records }) => ({
    ...byInvoice(chargebee, records, ({ id }) => `${INVOICE_PREFIX}${id}`),
    refund: (id, cents) => chargebee.refund(latestPaid(records, paidBy(id)), cents),
    // On a site that is set up as Chargebee recommends: by a credit note. The other way is a `payment_reversal`.
    dispute: (id) => chargebee.chargeback(latestPaid(records, paidBy(id))),
    pages: () => records('pages').map((page) => ({ checkoutId: checkoutOf(page), isPaid: page.status === 'complete' })),
    isTakenBack: (refund) => refundOwn(refund).isChargeback,
  }),
}

/** A subscription's payments are known by its id, a one-time purchase's by its invoice. */
const paidBy = (id: string) => id.replace(INVOICE_PREFIX, '')

/** A subscription has our checkout's id, a one-time purchase has it as its order number. */
const checkoutOf = ({ chosenIds, gives }: PageRecord) =>
  chosenIds.subscription ?? saleOwn({ own: gives.payment }).poNumber ?? ''
