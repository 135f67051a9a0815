import type { PagesContext } from './ask.ts'
import { tokenOf } from './session.ts'
import { homeOf } from './site.ts'

/** Gives a page's script the access token, which is good for an hour at most. The refresh token stays where no script reads it. */
export async function giveToken(c: PagesContext): Promise<Response> {
  const home = await homeOf(c)
  return c.json({ access_token: home && (await tokenOf(c, home)) })
}
