/**
 * The currencies that Mollie takes. Which of them an owner can sell in depends on the payment methods of the account.
 * Mollie writes all of them with the decimals of ISO 4217.
 */
export const MOLLIE_CURRENCIES: ReadonlySet<string> = new Set(
  'AED AUD BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS ISK JPY MXN MYR NOK NZD PHP PLN RON RUB SEK SGD THB TWD USD ZAR'.split(
    ' ',
  ),
)
