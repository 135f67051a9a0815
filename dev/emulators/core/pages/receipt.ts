import { invoiceSale, paymentSale, type Sale } from '../domain/sales.ts'
import { noticePage } from './layout.ts'
import type { PageVisit } from './visits.ts'

const RECEIPTS = '/receipts/'

/** The address of a sale's receipt. */
export const receiptAddress = ({ url }: { url: string }, { id }: Pick<Sale, 'id'>) =>
  `${url}${RECEIPTS}${encodeURIComponent(id)}`

/**
 * The documents at the addresses of receipts: a page instead of the PDF that processors make. That the addresses expire is left out.
 *
 * @param money formats an amount
 */
export const receiptVisits = (money: (amount: number, currency: string) => string): Record<string, PageVisit> => ({
  [RECEIPTS]: {
    unknown: { title: 'There is no such receipt', text: 'Check the address.' },
    open({ state: { records }, contextFor }, encodedId) {
      const id = decodeURIComponent(encodedId)
      const invoice = records.invoices.get(id)
      const payment = records.payments.get(id)
      const sale = invoice
        ? invoiceSale(contextFor(invoice.account), invoice)
        : payment && paymentSale(contextFor(payment.account), payment)
      if (sale?.status !== 'paid') return null
      const { amount, price } = sale
      const text = `${price.label}: ${money(amount, price.currency)}`
      return { show: () => noticePage({ title: 'Receipt', text }), actions: {} }
    },
  },
})
