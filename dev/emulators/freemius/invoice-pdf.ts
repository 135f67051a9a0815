import { type AccountContext, find } from '../core/domain/context.ts'
import { RawResponse } from '../core/wire/raw-response.ts'
import type { Ids } from '../core/wire/routes.ts'
import { noSuch } from './errors.ts'
import { money } from './hosted-link.ts'

/** The invoice of a payment of a user: a PDF of one line, in ASCII. */
export function invoicePdf(context: AccountContext, [user, id]: Ids): RawResponse {
  const payment = find(context, 'payments', id)
  if (payment.customer !== find(context, 'customers', user).id || payment.status !== 'paid')
    throw noSuch('payments', id)
  const text = `Invoice ${id}: ${payment.description}, ${money(payment.amount, payment.currency)}`
  return new RawResponse(200, onePage(text.replaceAll(/[^ -~]/g, '?')), 'application/pdf')
}

/** A PDF with one page, whose parts are at the offsets that its table lists (ISO 32000, 7.5). */
function onePage(text: string): string {
  const content = `BT /F1 14 Tf 50 780 Td (${text.replaceAll(/[\\()]/g, '\\$&')}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let pdf = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = pdf.length
    pdf += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const table = pdf.length
  const size = objects.length + 1
  const head = `xref\n0 ${size}\n0000000000 65535 f \n`
  return `${pdf}${head}${offsets.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`
}
