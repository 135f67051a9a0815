import type { PageRecord } from '../../core/domain/selling-records.ts'
import { pageOwn } from '../own.ts'

/** The fields of a session that repeat its options, and what the buyer has entered. */
export function pageSettings(page: PageRecord) {
  const { asks, status } = page
  const { automatic_tax: tax, consent_collection: consents, invoice_creation: invoices } = pageOwn(page)
  const isPaid = status === 'complete'
  return {
    allow_promotion_codes: asks.promotionCode || null,
    automatic_tax: tax.enabled
      ? {
          enabled: true,
          liability: { type: 'self' as const },
          provider: 'stripe',
          status: isPaid ? ('complete' as const) : ('requires_location_inputs' as const),
        }
      : tax,
    consent: consents && { promotions: null, terms_of_service: isPaid && asks.consent ? ('accepted' as const) : null },
    consent_collection: consents && { ...consents, payment_method_reuse_agreement: null, promotions: null },
    discounts: pageDiscounts(page),
    invoice_creation: invoices && { ...invoices, invoice_data: INVOICE_DATA },
    ...(asks.taxId && { tax_id_collection: { enabled: true, required: 'never' as const } }),
  }
}

function pageDiscounts({ coupon, promotionCode }: PageRecord) {
  if (promotionCode !== null) return [{ coupon: null, promotion_code: `promo_${promotionCode}` }]
  return coupon === null ? [] : [{ coupon, promotion_code: null }]
}

const INVOICE_DATA = {
  account_tax_ids: null,
  custom_fields: null,
  description: null,
  footer: null,
  issuer: null,
  metadata: null,
  rendering_options: null,
}

/** The id of the invoice of a one-time payment; null: none is made, or not yet. */
export function postPaymentInvoiceId(page: PageRecord): string | null {
  const isPaid = page.mode === 'payment' && page.status === 'complete' && !page.unpaid
  return isPaid && pageOwn(page).invoice_creation?.enabled ? `in_${page.id.slice(-24)}` : null
}
