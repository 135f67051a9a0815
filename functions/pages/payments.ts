// The visitor's payments, and the way to the receipt of each.
import * as z from 'zod'
import { PaymentList } from '../../lib/access/payment-list.ts'
import { callApi, failure, isRefused, type PagesContext, type Refused, toRefused, withToken } from './call-api.ts'
import { ACCOUNT_PATH } from './contract.ts'
import { PageOfProcessor } from './page-of-processor.ts'
import { showPage } from './show.ts'
import { findSite, type Site } from './site.ts'
import { paymentsPage } from './views/payments.tsx'
import { MAX_ATTEMPTS, receiptPage } from './views/receipt.tsx'

const apiPath = ({ paywallId }: Site, rest = '') => `/api/v1/paywall/${paywallId}/payments${rest}`

/** The visitor's latest payments, or those before one. */
export const listPayments = (c: PagesContext, site: Site, before?: string): Promise<PaymentList | Refused> =>
  callApi(c, 'PAYMENTS', PaymentList, {
    path: apiPath(site, before === undefined ? '' : `?${new URLSearchParams({ before })}`),
    token: site.token,
  })

/** A visitor whose session has ended is sent to sign in first. */
export async function showPayments(c: PagesContext): Promise<Response> {
  const site = await findSite(c)
  if (!site.user) return c.redirect(site.href(ACCOUNT_PATH), 303)
  const payments = await listPayments(c, site, c.req.query('before'))
  if (isRefused(payments)) throw failure(payments)
  return showPage(c, site, paymentsPage(site, payments))
}

/** Leads to the receipt of one of the visitor's payments. Where the processor has no address for it, it is downloaded from here. */
export async function openReceipt(c: PagesContext): Promise<Response> {
  const site = await findSite(c)
  if (!site.user) return c.redirect(site.href(ACCOUNT_PATH), 303)
  const id = c.req.param('payment') ?? ''
  const path = apiPath(site, `/${encodeURIComponent(id)}/receipt`)
  const response = await c.env.PAYMENTS.fetch(withToken(c, { path, token: site.token }, { method: 'GET' }))
  if (!response.ok) return explain(c, site, id, await toRefused(response))
  if (response.headers.get('content-type') === 'application/pdf') return download(c, response.body)
  const { url } = Receipt.parse(await response.json())
  // Hides from the processor on which page its receipt was opened.
  c.header('Referrer-Policy', 'no-referrer')
  c.header('Cache-Control', 'no-store')
  return c.redirect(url, 303)
}

const Receipt = z.object({ url: PageOfProcessor })

/** As a file: it comes from another party, and is not rendered as a page of ours. */
function download(c: PagesContext, content: ReadableStream | null): Response {
  const headers = {
    'Content-Type': 'application/pdf',
    'Content-Disposition': 'attachment; filename="receipt.pdf"',
    'Cache-Control': 'private, no-store',
  }
  return c.body(content ?? '', 200, headers)
}

/** Another user's payment is a 404. */
async function explain(c: PagesContext, site: Site, id: string, refused: Refused): Promise<Response> {
  if (refused.error === 'payment_not_found') throw failure(refused)
  const attempt = Number(c.req.query('attempt') ?? 1)
  const isRepeated = refused.error === 'receipt_pending' && attempt >= 1 && attempt < MAX_ATTEMPTS
  return showPage(c, site, receiptPage(site, { id, refused, next: isRepeated ? attempt + 1 : null }), refused.status)
}
