import { shift } from '../../money/money.ts'

/**
 * The currencies that Stripe takes, of those that ISO 4217 still has. An account has some of them only: which, depends on
 * its country, and Stripe says so at the checkout.
 */
export const STRIPE_CURRENCIES: ReadonlySet<string> = new Set(
  `
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP
CRC CVE CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR ISK JMD JOD JPY
KES KGS KHR KMF KRW KWD KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR
NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SEK SGD SHP SLE SOS SRD SVC SZL THB TJS TND TOP TRY TTD
TWD TZS UAH UGX USD UYU UZS VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW`
    .trim()
    .split(/\s+/),
)

/** The decimals that Stripe charges at most, where ISO 4217 has more: the last of three has to be 0. */
export const STRIPE_DECIMALS: Readonly<Record<string, number>> = { MGA: 0, BHD: 2, JOD: 2, KWD: 2, OMR: 2, TND: 2 }

/**
 * Where Stripe counts in other units than ISO 4217: how far the decimal point is from ours. Króna and shilling have no
 * decimals, yet Stripe writes two, always 00. The ariary has two, which nobody uses, and Stripe writes none.
 */
const POINTS: Readonly<Record<string, number>> = { ISK: -2, UGX: -2, MGA: 2 }

/** An amount as Stripe writes it, in the minor units of ISO 4217. */
export function fromStripe(amount: number, currency: string): number {
  const places = POINTS[currency]
  return places === undefined ? amount : Math.round(shift(amount, places))
}
