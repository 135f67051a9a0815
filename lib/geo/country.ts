import { isCountry, UNKNOWN_COUNTRY } from './countries.ts'

/** The country of the caller's address as Cloudflare saw it, or `XX`. */
export function requestCountry(request: Request): string {
  const country = request.cf?.country
  return typeof country === 'string' && isCountry(country) ? country : UNKNOWN_COUNTRY
}
