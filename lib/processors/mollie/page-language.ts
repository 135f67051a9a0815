import type { CheckoutOptions } from '../checkout-options.ts'

/** The language of a payment's page, as Mollie writes it. Without one, Mollie chooses. */
export const pageLanguage = ({ locale }: CheckoutOptions) =>
  locale === undefined ? {} : { locale: locale.replace('-', '_') }
