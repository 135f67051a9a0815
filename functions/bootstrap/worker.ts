import { readBootstrap, readUserBootstrap } from '../../generated/calls.ts'
import { misplacedKey, readBearer } from '../../lib/auth/credential.ts'
import { connect } from '../../lib/db/connect.ts'
import { bearerParameters } from '../../lib/db/gate.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { countryOf } from '../../lib/geo/country.ts'
import { refuse } from '../../lib/http/errors.ts'
import { checkPaywallId, placeOf } from '../../lib/http/place.ts'
import { type PaywallRow, structureOf, versionOf } from '../../lib/paywall/structure.ts'
import type { MemberState } from '../../lib/purchases/member-state.ts'
import { type BootstrapRefusal, PATH, words } from './contract.ts'
import { edgeCached } from './edge-cache.ts'

/** What read_bootstrap gives, and read_user_bootstrap. */
type ReadBootstrapResult = { verdict: 'unknown_paywall' } | { verdict: 'found'; paywall: PaywallRow }
type ReadUserBootstrapResult =
  | { verdict: BootstrapRefusal }
  | {
      verdict: 'found'
      paywall: PaywallRow
      /** Null if the user never came to this paywall. */
      user:
        | ({
            id: string
            email: string | null
            has_active_subscription: boolean
          } & MemberState)
        | null
    }

const app = createApp<Cloudflare.BootstrapEnv>()

app.get(PATH, async (c) => {
  const place = placeOf(c)
  const country = countryOf(c.req.raw)
  const credential = await readBearer(c.req, c.env)
  if (credential.kind === 'bad_token') throw refuse(words.bad_token, misplacedKey(c.req))
  await checkPaywallId(c.req, place)

  if (credential.kind === 'user') {
    const parameters = { ...place, ...bearerParameters(credential) }
    const row = await readUserBootstrap<ReadUserBootstrapResult>(connect(c.env), parameters)
    if (row.verdict !== 'found') throw refuse(words[row.verdict])
    c.header('Cache-Control', 'private, no-store')
    return c.json({ ...(await payloadOf(row.paywall, country)), ...(row.user && { user: row.user }) })
  }

  return edgeCached(c.executionCtx, { ...place, country }, c.req.header('if-none-match'), async () => {
    const row = await readBootstrap<ReadBootstrapResult>(connect(c.env), place)
    if (row.verdict !== 'found') throw refuse(words[row.verdict])
    return payloadOf(row.paywall, country)
  })
})

app.all(PATH, allowOnly('GET', 'HEAD'))

async function payloadOf(paywall: PaywallRow, country: string) {
  const structure = structureOf(paywall, country)
  return { version: await versionOf(structure), ...structure }
}

export default app
