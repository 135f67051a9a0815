import * as z from 'zod'
import { type AccountContext, lookUp, newestFirst, showEach } from '../core/domain/context.ts'
import { DAY_SECONDS } from '../core/periods.ts'
import type { Api } from '../core/processor.ts'
import { header } from '../core/server.ts'
import { callsInForms } from '../core/wire/calls-in-forms.ts'
import { readBasicAuth, readCredential } from '../core/wire/credential.ts'
import { expander } from '../core/wire/expand.ts'
import type { Form } from '../core/wire/form.ts'
import { text } from '../core/wire/form-fields.ts'
import { parseWith } from '../core/wire/parse.ts'
import { retrieve } from '../core/wire/routes.ts'
import { type StripeAccount, toAccountId } from './accounts.ts'
import { COUPON_ROUTES, couponProducts } from './coupons.ts'
import { errorBody, mistake, refused } from './errors.ts'
import { INVOICE_ROUTES } from './invoices.ts'
import { MONEY_ROUTES } from './money.ts'
import { invoicePayments } from './objects/money.ts'
import { postPaymentInvoiceById } from './objects/post-payment-invoice.ts'
import { checkoutLineItems } from './objects/selling.ts'
import { toList } from './objects/wire.ts'
import { API_VERSION, RATE_LIMIT } from './rules.ts'
import { findScheduleObject, SCHEDULE_ROUTES } from './schedules.ts'
import { SESSION_ROUTES } from './sessions.ts'
import { SUBSCRIPTION_ROUTES } from './subscriptions.ts'

/** The supported part of Stripe's API. */
const ROUTES = [
  ...COUPON_ROUTES,
  ...SESSION_ROUTES,
  ...SUBSCRIPTION_ROUTES,
  ...SCHEDULE_ROUTES,
  ...INVOICE_ROUTES,
  ...MONEY_ROUTES,
  retrieve('/v1/customers/:id', 'customers'),
  retrieve('/v1/events/:id', 'events'),
]

const CALLS = callsInForms(ROUTES, {
  unknownPath: ({ method, path }) => refused('unknown_url', { method, path }),
  mistake,
})

const RATE_LIMITED = {
  error: {
    type: 'invalid_request_error',
    code: 'rate_limit',
    message: 'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.',
  },
}

const Expand = z.object({ expand: z.array(text()) })

/** Expands the objects and lists that a call requests with `expand`. */
const expand = expander({
  levels: 4,
  tooDeep: (levels) => refused('too_deep', { levels }),
  notExpandable: (path) => refused('not_expandable', { path }),
  included: includedField,
  findOther: (context, id) => findScheduleObject(context, id) ?? postPaymentInvoiceById(context, id),
})

/** A field that Stripe includes only with `expand`: the products of a coupon, or a list. Null if the object has no such field. */
function includedField(context: AccountContext, id: string, field: string): object | 'absent' | null {
  if (field === 'applies_to') return couponProducts(context, id) ?? 'absent'
  const session = lookUp(context, 'pages', id)
  if (session && field === 'line_items') return checkoutLineItems(session)
  const invoice = lookUp(context, 'invoices', id)
  if (invoice && field === 'payments') return toList('/v1/invoice_payments', invoicePayments(invoice))
  const charge = lookUp(context, 'attempts', id)
  if (!charge || field !== 'refunds') return null
  const refunds = newestFirst(context, 'refunds', { payment: charge.payment })
  return toList(`/v1/charges/${id}/refunds`, showEach(context, 'refunds', refunds))
}

export const API: Api<StripeAccount, Form> = {
  ...CALLS,
  keyHeader: 'idempotency-key',
  // Stripe deletes a key after a day.
  keyRules: {
    keptSeconds: DAY_SECONDS,
    longestKey: 255,
    refuse: (misuse, { key, path, first }) => refused(`key_${misuse}`, { key, path, first }),
  },
  authenticate(request, accounts) {
    // Stripe accepts the key as a Bearer token or as the user name of Basic authentication.
    const key = readCredential(request, 'Bearer') ?? readBasicAuth(request)?.user
    if (!key) throw refused('no_api_key')
    const account = accounts.get(toAccountId(key))
    if (!account) throw refused('wrong_api_key', { key: `${key.slice(0, 8)}****${key.slice(-4)}` })
    return account
  },
  prepare(call, request) {
    const version = header(request, 'stripe-version') ?? API_VERSION
    if (version !== API_VERSION) throw refused('wrong_version', { version, spoken: API_VERSION })
    const { expand: given = [], ...body } = call.body
    const { expand: paths } = parseWith(Expand, { expand: given }, mistake)
    const execution = CALLS.prepare({ ...call, body })
    return (context) => expand(context, execution(context), paths)
  },
  errorBody,
  rateLimit: RATE_LIMIT,
  tooManyCalls: () => ({
    headers: { 'Content-Type': 'application/json', 'Stripe-Rate-Limited-Reason': 'global-rate' },
    body: JSON.stringify(RATE_LIMITED),
  }),
  headers: ({ requestId, key, replayedRequestId }) => ({
    'Content-Type': 'application/json',
    'Request-Id': requestId,
    'Stripe-Version': API_VERSION,
    ...(key !== null && { 'Idempotency-Key': key }),
    ...(replayedRequestId !== null && { 'Idempotent-Replayed': 'true', 'Original-Request': replayedRequestId }),
  }),
}
