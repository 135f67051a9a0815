/*
 * What apidocs.chargebee.com/docs/api/currencies says: amounts are whole, in the currency's own unit where it has no decimals,
 * and in hundredths of every other one. It is written down once more here, so that an adapter that counts otherwise is found
 * out. Which currencies have no decimals is only told by example there: the list is UNVERIFIED.
 */
const ZERO_DECIMAL = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' ')

export const decimalsAtChargebee = (currency: string) => (ZERO_DECIMAL.includes(currency) ? 0 : 2)
