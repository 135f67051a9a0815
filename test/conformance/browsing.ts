import * as z from 'zod'
import { call, type Reply } from '../support/call.ts'
import type { Buyer } from './buyer.ts'

const Token = z.object({ access_token: z.string() })

/** Requests a page of the paywall's site. */
export type Browse = (path: string) => Promise<Pick<Reply, 'status' | 'headers'> & { text: string }>

/** Signs the buyer in on the paywall's site. */
export async function signIn({ shop: { world, paywall, key }, email }: Buyer): Promise<Browse> {
  const path = `/api/v1/paywall/${paywall.id}/sign-in/exchange`
  const { access_token: token } = Token.parse((await call(world, path, { key, body: { email } })).body)
  return async (page) => {
    const { status, headers, body } = await call(world, page, { headers: { cookie: `paywall_access=${token}` } })
    return { status, headers, text: String(body) }
  }
}
