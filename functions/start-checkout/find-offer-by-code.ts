// Shows what a code takes off, before it is used: see internal-contract.ts.
import type { Context } from 'hono'
import { findOfferByCode } from '../../generated/calls.ts'
import { readBearer } from '../../lib/auth/credential.ts'
import { bearerParameters } from '../../lib/auth/gate.ts'
import { connect } from '../../lib/db/connect.ts'
import { requestCountry } from '../../lib/geo/country.ts'
import { ApiError, apiError } from '../../lib/http/errors.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { paywallTarget } from '../../lib/http/paywall-target.ts'
import type { OfferByCode } from '../../lib/paywall/offer.ts'
import { type PublicOffer, toOffer } from '../../lib/paywall/structure.ts'
import { errors, OFFER_PROBLEMS, type OfferProblem } from './contract.ts'
import { CodeBody, codeErrors } from './internal-contract.ts'
import { countedNetwork } from './request.ts'

type FoundCode =
  | { verdict: 'unknown_user' | 'unknown_paywall' }
  | { verdict: 'too_many_codes'; wait: number }
  | { verdict: 'invalid_offer'; reason: OfferProblem }
  | { verdict: 'found'; offer: PublicOffer; texts: OfferByCode['texts']; now: string }

export async function showOfferByCode(c: Context<{ Bindings: Cloudflare.StartCheckoutEnv }>): Promise<Response> {
  const credential = await readBearer(c.req, c.env)
  if (credential.kind === 'none') throw apiError(codeErrors.no_credential)
  if (credential.kind === 'bad_token') throw apiError(codeErrors.bad_token)
  const { code } = await parseJson(c.req, CodeBody)
  const network = countedNetwork(c, c.env)
  const row = await findOfferByCode<FoundCode>(connect(c.env), {
    ...paywallTarget(c),
    ...bearerParameters(credential),
    code,
    country: requestCountry(c.req.raw),
    ...(network !== null && { network }),
  })
  if (row.verdict === 'too_many_codes') throw new ApiError(errors.too_many_codes, { retryAfter: row.wait })
  if (row.verdict === 'invalid_offer') {
    throw apiError(errors.invalid_offer, { message: OFFER_PROBLEMS[row.reason], reason: row.reason })
  }
  if (row.verdict !== 'found') throw apiError(codeErrors[row.verdict])
  c.header('Cache-Control', 'private, no-store')
  return c.json({ ...toOffer(row.offer, row.now), texts: row.texts } satisfies OfferByCode)
}
