import * as z from 'zod'
import { call } from './call.ts'
import { newEmail } from './checkout.ts'
import type { TestWorld } from './world.ts'

const Session = z.object({ access_token: z.string(), user: z.object({ id: z.uuid(), email: z.string() }) })

/** A user of a paywall with an access token, obtained the way an owner's own sign-in does. */
export async function signIn(
  world: TestWorld,
  { paywallId = world.paywall.id, key = world.key, email = newEmail() } = {},
): Promise<{ token: string; id: string; email: string }> {
  const reply = await call(world, `/api/v1/paywall/${paywallId}/sign-in/exchange`, { key, body: { email } })
  if (reply.status !== 200) throw new Error(`no token: ${JSON.stringify(reply)}`)
  const { access_token: token, user } = Session.parse(reply.body)
  return { token, ...user }
}
