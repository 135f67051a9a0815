import { isCountry, UNKNOWN_COUNTRY } from './countries.ts'

/** The country of the caller's IP address according to Cloudflare, or `XX`. */
export function requestCountry(request: Request): string {
  const country = request.cf?.country
  return typeof country === 'string' && isCountry(country) ? country : UNKNOWN_COUNTRY
}
