import { requestCountry } from '../../lib/geo/country.ts'
import { findCountry } from './address.ts'

/**
 * The country of the end user that an owner's backend speaks for: of `X-Client-Ip` where it is sent, else the caller's.
 * It changes what is reported, never a price that a Bearer user pays. `X-Forwarded-For` is never read.
 */
export async function reportedCountry(request: Request): Promise<string> {
  const address = request.headers.get('x-client-ip')
  return address === null ? requestCountry(request) : findCountry(address)
}
