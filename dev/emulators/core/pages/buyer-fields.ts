import { html } from 'hono/html'
import { PROMOTION_CODES } from '../controls/promotion-codes.ts'
import type { AccountContext } from '../domain/context.ts'
import type { PageRecord } from '../domain/selling-records.ts'
import type { Html } from './layout.ts'

/*
 * The fields of a checkout page besides the address, as far as the page asks for them. A promotion code and a tax id may be left
 * empty; without consent nothing can be paid.
 */

export const buyerFields = ({ asks }: PageRecord): Html => html`
        ${asks.promotionCode ? textField('promotion_code', 'Promotion code (optional)') : ''}
        ${asks.taxId ? textField('tax_id', 'Tax ID (optional)') : ''}
        ${asks.consent ? CONSENT : ''}`

const textField = (name: string, label: string) => html`
        <label for="${name}">${label}</label>
        <input id="${name}" name="${name}" autocomplete="off">`

const CONSENT = html`
        <label><input type="checkbox" name="consent" required> I agree to the terms of service</label>`

/** Stores what the buyer has entered. Returns why the page cannot be paid; null if it can. */
export function enterFields(context: AccountContext, page: PageRecord, form: Record<string, string>): string | null {
  const { promotionCode, taxId, consent } = page.asks
  if (consent && form.consent !== 'on') return 'Accept the terms of service to continue.'
  if (taxId && form.tax_id) page.taxId = form.tax_id
  if (!promotionCode || !form.promotion_code) return null

  const code = form.promotion_code.toUpperCase()
  const percentOff = PROMOTION_CODES.read(context)[code]
  if (percentOff === undefined) return 'This code is invalid.'
  page.promotionCode = code
  page.terms = { ...page.terms, percentOff }
  return null
}
