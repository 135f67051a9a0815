import { requestCountry } from '../../lib/geo/country.ts'
import { findCountry } from './address.ts'

/**
 * The country of the end user for whom an owner's backend calls: that of `X-Client-Ip` if it is sent, else the caller's. It changes what is
 * reported, never the price of a Bearer user. `X-Forwarded-For` is never read.
 */
export async function reportedCountry(request: Request): Promise<string> {
  const address = request.headers.get('x-client-ip')
  return address === null ? requestCountry(request) : findCountry(address)
}
