import { findPaywallOfHost, readBootstrap, readUserBootstrap } from '../../generated/calls.ts'
import { misplacedKey, readBearer } from '../../lib/auth/credential.ts'
import { bearerParameters } from '../../lib/auth/gate.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { requestCountry } from '../../lib/geo/country.ts'
import { apiError } from '../../lib/http/errors.ts'
import { checkPaywallId, logPaywall, paywallTarget, requestHost } from '../../lib/http/paywall-target.ts'
import type { MemberState } from '../../lib/member-state/member-state.ts'
import { computeVersion, type PaywallRow, toStructure } from '../../lib/paywall/structure.ts'
import { type BootstrapRefusal, errors, PATH } from './contract.ts'
import { edgeCached, respond } from './edge-cache.ts'
import { FIND_PATH, findErrors } from './find-contract.ts'

type FindPaywallResult = { verdict: 'unknown_paywall' } | { verdict: 'found'; id: string }
type ReadBootstrapResult = { verdict: 'unknown_paywall' } | { verdict: 'found'; paywall: PaywallRow }
type ReadUserBootstrapResult =
  | { verdict: BootstrapRefusal }
  | {
      verdict: 'found'
      paywall: PaywallRow
      /** Null if the user is not a member of this paywall. */
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
  const target = paywallTarget(c)
  const country = requestCountry(c.req.raw)
  const credential = await readBearer(c.req, c.env)
  if (credential.kind === 'bad_token') throw apiError(errors.bad_token, misplacedKey(c.req))
  await checkPaywallId(c.req, target)

  if (credential.kind === 'user') {
    const parameters = { ...target, ...bearerParameters(credential) }
    const row = await readUserBootstrap<ReadUserBootstrapResult>(connect(c.env), parameters)
    if (row.verdict !== 'found') throw apiError(errors[row.verdict])
    c.header('Cache-Control', 'private, no-store')
    return c.json({ ...(await toPayload(row.paywall, country)), ...(row.user && { user: row.user }) })
  }

  const kept = await edgeCached(c.executionCtx, [target.host, target.paywallId, country], async () => {
    const row = await readBootstrap<ReadBootstrapResult>(connect(c.env), target)
    if (row.verdict !== 'found') throw apiError(errors[row.verdict])
    const payload = await toPayload(row.paywall, country)
    return { payload, version: payload.version }
  })
  return respond(kept, c.req.header('if-none-match'))
})

app.get(FIND_PATH, async (c) => {
  const host = requestHost(c)
  const kept = await edgeCached(c.executionCtx, [host], async () => {
    const row = await findPaywallOfHost<FindPaywallResult>(connect(c.env), { host })
    if (row.verdict !== 'found') throw apiError(findErrors[row.verdict])
    return { payload: { id: row.id }, version: row.id }
  })
  const paywallId = kept.version
  logPaywall(paywallId)
  await checkPaywallId(c.req, { paywallId, host })
  return respond(kept, c.req.header('if-none-match'))
})

app.all(PATH, allowOnly('GET', 'HEAD'))
app.all(FIND_PATH, allowOnly('GET', 'HEAD'))

async function toPayload(paywall: PaywallRow, country: string) {
  const structure = toStructure(paywall, country)
  return { version: await computeVersion(structure), ...structure }
}

export default app
