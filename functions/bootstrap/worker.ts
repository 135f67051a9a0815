import { findPaywallOfHost, readBootstrap, readUserBootstrap } from '../../generated/calls.ts'
import { misplacedKey, readBearer } from '../../lib/auth/credential.ts'
import { connect } from '../../lib/db/connect.ts'
import { bearerParameters } from '../../lib/db/gate.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { countryOf } from '../../lib/geo/country.ts'
import { refuse } from '../../lib/http/errors.ts'
import { checkPaywallId, hostOf, logPaywall, placeOf } from '../../lib/http/place.ts'
import { type PaywallRow, structureOf, versionOf } from '../../lib/paywall/structure.ts'
import type { MemberState } from '../../lib/purchases/member-state.ts'
import { type BootstrapRefusal, PATH, words } from './contract.ts'
import { edgeCached, respond } from './edge-cache.ts'
import { FIND_PATH, findWords } from './find-contract.ts'

/** What find_paywall_of_host gives, read_bootstrap, and read_user_bootstrap. */
type FindPaywallResult = { verdict: 'unknown_paywall' } | { verdict: 'found'; id: string }
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

  const kept = await edgeCached(c.executionCtx, [place.host, place.paywallId, country], async () => {
    const row = await readBootstrap<ReadBootstrapResult>(connect(c.env), place)
    if (row.verdict !== 'found') throw refuse(words[row.verdict])
    const payload = await payloadOf(row.paywall, country)
    return { payload, version: payload.version }
  })
  return respond(kept, c.req.header('if-none-match'))
})

app.get(FIND_PATH, async (c) => {
  const host = hostOf(c)
  const kept = await edgeCached(c.executionCtx, [host], async () => {
    const row = await findPaywallOfHost<FindPaywallResult>(connect(c.env), { host })
    if (row.verdict !== 'found') throw refuse(findWords[row.verdict])
    return { payload: { id: row.id }, version: row.id }
  })
  const paywallId = kept.version
  logPaywall(c, paywallId)
  await checkPaywallId(c.req, { paywallId, host })
  return respond(kept, c.req.header('if-none-match'))
})

app.all(PATH, allowOnly('GET', 'HEAD'))
app.all(FIND_PATH, allowOnly('GET', 'HEAD'))

async function payloadOf(paywall: PaywallRow, country: string) {
  const structure = structureOf(paywall, country)
  return { version: await versionOf(structure), ...structure }
}

export default app
