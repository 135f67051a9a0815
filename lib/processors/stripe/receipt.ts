import Stripe from 'stripe'
import * as z from 'zod'
import type { Receipt } from '../processor.ts'
import { receiptUrl } from '../receipt-url.ts'
import { parse } from './api.ts'

/**
 * The page of a subscription's invoice, or the receipt of a one-time payment. Stripe stops showing either after a month
 * (docs.stripe.com/invoicing/hosted-invoice-page, docs.stripe.com/receipts), and a read has an address that it shows. Null if the account
 * does not have the payment, as after a switch of accounts.
 */
export async function readReceipt(api: Stripe, id: string, base: string | null): Promise<Receipt | null> {
  const address = receiptUrl(base)
  const url = await unlessMissing(
    id.startsWith('in_')
      ? invoicePage(api, id, address)
      : id.startsWith('pi_')
        ? chargeReceipt(api, id, address)
        : null,
  )
  return url ? { kind: 'page', url } : null
}

type Address = ReturnType<typeof receiptUrl>

async function invoicePage(api: Stripe, id: string, address: Address) {
  const Invoice = z.object({ object: z.literal('invoice'), hosted_invoice_url: address.nullish() })
  return parse(Invoice, await api.invoices.retrieve(id)).hosted_invoice_url
}

async function chargeReceipt(api: Stripe, id: string, address: Address) {
  const Charge = z.object({ object: z.literal('charge'), receipt_url: address.nullable() })
  const Payment = z.object({ object: z.literal('payment_intent'), latest_charge: Charge.nullable() })
  return parse(Payment, await api.paymentIntents.retrieve(id, { expand: ['latest_charge'] })).latest_charge?.receipt_url
}

async function unlessMissing<Found>(found: Promise<Found> | null): Promise<Found | null> {
  try {
    return await found
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing') return null
    throw error
  }
}
