/**
 * The tax in a payment of an invoice, in the units of its parts. Undefined if it is not known: a payment of a part, such as the one that a
 * buyer's credit leaves, has a part of the tax that no processor reports.
 */
export function includedTax(paid: number, invoice: { total: number; tax: number | undefined }): number | undefined {
  const { total, tax } = invoice
  const isPart = tax !== undefined && tax >= 0 && tax <= paid
  return isPart && (paid === total || tax === 0) ? tax : undefined
}

/** The discount in a payment of an invoice. Undefined if it is not known, as that in a payment of a part. */
export function includedDiscount(
  paid: number,
  invoice: { total: number; discount: number | undefined },
): number | undefined {
  return paid === invoice.total ? invoice.discount : undefined
}

/** Adds taxes to an amount, in the proportion of a charge with and without them. */
export const withTax = (amount: number, { net, total }: { net: number; total: number }): number =>
  net === 0 ? amount : Math.round((amount * total) / net)
