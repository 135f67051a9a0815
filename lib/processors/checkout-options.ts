import * as z from 'zod'
import { LOCALE_LENGTH } from '../http/input-limits.ts'

/** What is on or off on a hosted page. */
const switches = {
  automatic_tax: z.boolean().exactOptional().describe("true: taxes for the buyer's location are added to the price"),
  tax_ids: z.boolean().exactOptional().describe('true: businesses can enter a tax id, which their invoice then has'),
  promotion_codes: z
    .boolean()
    .exactOptional()
    .describe('true: buyers can enter promotion codes, which are made at the processor'),
  invoices: z.boolean().exactOptional().describe('true: one-time purchases get an invoice, too'),
  trial_without_card: z
    .boolean()
    .exactOptional()
    .describe('true: a trial needs no payment method. It ends without a charge if its buyer adds none by then'),
  terms: z.boolean().exactOptional().describe('true: buyers must accept your terms of service before they can pay'),
  adaptive_pricing: z
    .boolean()
    .exactOptional()
    .describe(
      "true: the price is shown and charged in the buyer's own currency, at the processor's rate. Default: false",
    ),
}

/** `settings.checkout` of a paywall: the options of its hosted pages. An option that is left out is as the processor has it by default. */
export const CheckoutOptions = z.strictObject({
  ...switches,
  locale: z
    .string()
    .max(LOCALE_LENGTH)
    .exactOptional()
    .describe(
      "The language of the page, as BCP 47 writes it, such as de or pt-BR. Default: the `locale` of the call, or else that of the buyer's browser",
    ),
})
export type CheckoutOptions = z.output<typeof CheckoutOptions>

/** An option that is true or false. */
export type CheckoutSwitch = keyof typeof switches

export const CHECKOUT_SWITCHES = Object.keys(switches) as CheckoutSwitch[]
