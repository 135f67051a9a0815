import { INVOICE_PREFIX } from '../../../dev/emulators/chargebee/bills.ts'
import { customerOwn, pageOwn, refundOwn, saleOwn } from '../../../dev/emulators/chargebee/own.ts'
import type { PageRecord } from '../../../dev/emulators/core/domain/selling-records.ts'
import type { Driver } from './driver.ts'
import { salesByInvoice } from './invoice-sales.ts'

export const CHARGEBEE: Driver<'chargebee'> = {
  prices: {
    monthly: 'pro-USD-monthly',
    yearly: 'pro-USD-yearly',
    plus: 'plus-USD-monthly',
    lifetime: 'lifetime-USD',
    pack: 'pack-USD',
    local: 'pro-EUR-monthly',
  },
  sign: (_, { webhookUser, webhookPassword }) => ({
    authorization: `Basic ${Buffer.from(`${webhookUser}:${webhookPassword}`).toString('base64')}`,
  }),
  otherScheme: ({ authorization = '' }) => ({ authorization: authorization.replace('Basic', 'Bearer') }),
  namesPurchases: false,
  readsMayBeStale: true,
  newValues: { txn_status: 'on_hold', cn_status: 'written_off', cn_reason_code: 'whim' },
  opensPage: /^\/api\/v2\/hosted_pages\/checkout_/,
  refusesEmail: {
    path: '/api/v2/hosted_pages/checkout_new_for_items',
    status: 400,
    body: {
      type: 'invalid_request',
      api_error_code: 'param_wrong_value',
      param: 'customer[email]',
      message: 'customer[email] : is not valid',
    },
  },
  accountReader: (_, { records }) => ({
    sales: () => salesByInvoice(records, ({ id }) => `${INVOICE_PREFIX}${id}`),
    pages: () =>
      records('pages')
        .filter(isCheckout)
        .map((page) => ({ checkoutId: getCheckout(page), isPaid: page.status === 'complete' })),
    pageLocale: (url) =>
      records('pages').flatMap((page) =>
        url.includes(page.id) ? [customerOwn({ own: page.gives.customer }).locale] : [],
      )[0] ?? null,
    isTakenBack: (refund) => refundOwn(refund).isChargeback,
  }),
}

/** Whether a page sells something. Other pages change a subscription, or collect what is due. */
function isCheckout(page: PageRecord): boolean {
  const { changes, collects } = pageOwn(page)
  return changes === null && !collects
}

/** A subscription has our checkout's id; a one-time purchase has it as its order number. */
const getCheckout = ({ chosenId, gives }: PageRecord) => chosenId ?? saleOwn({ own: gives.payment }).poNumber ?? ''
