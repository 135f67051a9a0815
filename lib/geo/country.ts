import { isCountry, UNKNOWN_COUNTRY } from './countries.ts'

/** The country of the caller's address as Cloudflare saw it, or `XX`. */
export function countryOf(request: Request): string {
  const country = request.cf?.country
  return typeof country === 'string' && isCountry(country) ? country : UNKNOWN_COUNTRY
}

/**
 * The country of the end user that an owner's backend speaks for: of `X-Client-Ip` where it is sent, else the caller's.
 * It changes what is reported, never a price a Bearer user pays. Addresses cannot be looked up yet: they are `XX`.
 */
export function reportedCountryOf(request: Request): string {
  return request.headers.has('x-client-ip') ? UNKNOWN_COUNTRY : countryOf(request)
}
