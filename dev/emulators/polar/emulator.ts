import { randomUUID } from 'node:crypto'
import { currencyDecimals } from '../../../lib/money/money.ts'
import { billing } from '../core/billing.ts'
import { onRecord, type RecordControl } from '../core/controls/controls.ts'
import { withQuery } from '../core/pages/html-responses.ts'
import { formatMoney } from '../core/pages/layout.ts'
import { receiptVisits } from '../core/pages/receipt.ts'
import { REPLICA_LAG } from '../core/replicas.ts'
import { createEmulator } from '../core/start.ts'
import { DISABLED_ENDPOINTS } from '../core/webhooks/endpoints.ts'
import { type PolarAccount, toOrganizationId } from './accounts.ts'
import { API } from './api.ts'
import { admit } from './checkouts.ts'
import { DISCOUNTS } from './discounts.ts'
import { forbidden, noSuch } from './errors.ts'
import { MONEY } from './objects/order.ts'
import { SELLING } from './objects/selling.ts'
import { endDispute, findOrderByPayment, preventDispute, refundOrder } from './orders.ts'
import { LACKING_SCOPES, MULTIPLE_SUBSCRIPTIONS, PRORATION } from './own.ts'
import { changeProduct } from './plan-changes.ts'
import { PORTAL_SECONDS, RATE_LIMIT, renewals, SLOW_PAYMENT_SECONDS } from './rules.ts'
import { resume, revoke, setCancelled } from './subscriptions.ts'
import { WEBHOOK_FORMAT } from './webhook-format.ts'

const BILLING = billing({
  names: { page: 'checkout', payment: 'payment' },
  currencyDecimals: (currency) => currencyDecimals(currency.toUpperCase()),
  checkout: {
    path: '/checkout/polar_c_',
    admit,
    // Polar adds a token for its portal to the URL.
    successUrl: ({ successUrl, id }) =>
      withQuery(successUrl.replaceAll('{CHECKOUT_ID}', id), { customer_session_token: `polar_cst_${id}` }),
  },
  portal: { path: '/portal/polar_cst_', lifetimeSeconds: PORTAL_SECONDS },
  end: revoke,
  setCancelled,
  changePlan: changeProduct,
  refund: (context, payment, amount) => refundOrder(context, findOrderByPayment(context, payment), amount),
  closeDispute: endDispute,
  pendingSeconds: SLOW_PAYMENT_SECONDS,
  renewals,
  resume,
})

/** The money of a receipt. */
const money = (amount: number, currency: string) =>
  formatMoney(amount, currency, currencyDecimals(currency.toUpperCase()))

/** A control of a payment by its order's id. */
const byOrder = <Given>({ toOptions, run }: RecordControl<Given>): RecordControl<Given> => ({
  field: 'order',
  toOptions,
  run: (store, id, options) => run(store, store.state.records.invoices.get(id)?.payment ?? id, options),
})

export const startPolarEmulator = createEmulator({
  name: 'polar',
  accountId: ({ accessToken }: PolarAccount) => toOrganizationId(accessToken),
  newId: () => randomUUID(),
  noSuch,
  refuse: (message) => forbidden('NotPermitted', message),
  api: API,
  webhookFormat: WEBHOOK_FORMAT,
  views: { ...SELLING, ...MONEY },
  ...BILLING,
  visits: { ...BILLING.visits, ...receiptVisits(money) },
  about: { path: '/v1', credential: 'access token' },
  controls: {
    ...BILLING.controls,
    setDiscounts: DISCOUNTS.control,
    refund: byOrder(BILLING.controls.refund),
    dispute: byOrder(BILLING.controls.dispute),
    /** Polar refunds a payment before it becomes a dispute. */
    preventDispute: byOrder(
      onRecord('payment', 'payments', {}, (context, payment) =>
        context.show('refunds', preventDispute(context, payment)),
      ),
    ),
    /** Whether a customer may have several subscriptions. */
    allowMultipleSubscriptions: MULTIPLE_SUBSCRIPTIONS.control,
    /** Sets when a change of product is charged. */
    setProration: PRORATION.control,
    /** Sets the organisation's rate limit. */
    setRateLimit: RATE_LIMIT.control,
    /** Sets the replication lag in seconds: Polar reads from replicas. */
    setReplicaLag: REPLICA_LAG.control,
    /** Sets the paywalls whose endpoint is disabled: `[]` enables those that Polar disabled after ten failures. */
    setDisabledEndpoints: DISABLED_ENDPOINTS.control,
    /** Sets the scopes that the token lacks. */
    withholdScopes: LACKING_SCOPES.control,
  },
  lists: { checkouts: 'pages', subscriptions: 'subscriptions' },
})

/** A local Polar: its API for the official SDK, hosted checkout and portal pages for people, signed webhooks for the service. */
export type PolarEmulator = Awaited<ReturnType<typeof startPolarEmulator>>
