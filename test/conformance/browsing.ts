import * as z from 'zod'
import { call, type Reply } from '../support/call.ts'
import type { Buyer } from './buyer.ts'

const Tokens = z.object({ access_token: z.string(), refresh_token: z.string() })

/** Requests a page of the paywall's site. */
export type Browse = (path: string) => Promise<Pick<Reply, 'status' | 'headers'> & { text: string }>

/** Signs the buyer in on the paywall's site. `isStale`: the access token has expired, so the browser has the refresh token only. */
export async function signIn(
  { shop: { world, paywall, key }, email }: Buyer,
  { isStale = false } = {},
): Promise<Browse> {
  const path = `/api/v1/paywall/${paywall.id}/sign-in/exchange`
  const tokens = Tokens.parse((await call(world, path, { key, body: { email } })).body)
  const cookie = isStale ? `paywall_refresh=${tokens.refresh_token}` : `paywall_access=${tokens.access_token}`
  return async (page) => {
    const { status, headers, body } = await call(world, page, { headers: { cookie } })
    return { status, headers, text: String(body) }
  }
}
