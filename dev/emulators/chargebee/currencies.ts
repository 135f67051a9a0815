/*
 * From apidocs.chargebee.com/docs/api/currencies: amounts are integers, in units of currencies without decimals, and in hundredths of
 * all others. This is independent of the adapter, so that its mistakes are detected. The documentation names currencies without
 * decimals by example only: the list is UNVERIFIED.
 */
const ZERO_DECIMAL = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' ')

export const decimalsAtChargebee = (currency: string) => (ZERO_DECIMAL.includes(currency) ? 0 : 2)
