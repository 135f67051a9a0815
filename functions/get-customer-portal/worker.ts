import type * as z from 'zod'
import { findPortalCustomer } from '../../generated/calls.ts'
import { misplacedKey, readCredential } from '../../lib/auth/credential.ts'
import { callerParameters } from '../../lib/auth/gate.ts'
import { rejectInvalidKeyFirst } from '../../lib/auth/reject-invalid-key-first.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { apiError } from '../../lib/http/errors.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import type { SealedAccount } from '../../lib/processors/account.ts'
import { processorFor } from '../../lib/processors/client.ts'
import { Body, errors, type FindRefusal, PATH, type Reply } from './contract.ts'

/** A member's customer id, the processor account that it belongs to, and the portal's return URL. */
interface PortalCustomer {
  account: SealedAccount
  customer: string
  /** A page of the owner's: from the paywall's settings, or else the one that this subscription's buyer was redirected to. */
  home: string
}

/** The result of find_portal_customer. */
type FindResult =
  | { verdict: Exclude<FindRefusal, 'no_subscription'> }
  | { verdict: 'no_subscription'; is_test: boolean }
  | { verdict: 'found'; is_test: boolean; customer: PortalCustomer }

const app = createApp<Cloudflare.GetCustomerPortalEnv>()

app.post(PATH, async (c) => {
  const target = paywallTarget(c)
  const caller = await readCredential(c.req, c.env)
  if (caller.kind === 'none') throw apiError(errors.no_credential)
  if (caller.kind === 'bad_token') throw apiError(errors.bad_token, misplacedKey(c.req))
  const rejectInvalidKey = rejectInvalidKeyFirst(c.env, caller, errors)
  await checkPaywallId(c.req, target).catch(rejectInvalidKey)

  const request = caller.kind === 'owner' ? await parseJson(c.req, Body).catch(rejectInvalidKey) : { userMeta: {} }
  const row = await findPortalCustomer<FindResult>(connect(c.env), {
    ...target,
    ...callerParameters(caller),
    ...request,
  })
  if (row.verdict === 'no_subscription') throw apiError(errors.no_subscription, { isTest: row.is_test ? '1' : '0' })
  if (row.verdict !== 'found') throw apiError(errors[row.verdict])

  const { account, customer, home } = row.customer
  // The front page of the owner's site, and never a page of ours: `home` itself is a success or an error page.
  using processor = processorFor(account, c.env)
  const url = await processor.openPortal(customer, new URL('/', home).href)
  if (url === null) throw apiError(errors.no_portal, { isTest: row.is_test ? '1' : '0' })
  c.header('Cache-Control', 'no-store')
  return c.json({ url } satisfies z.input<typeof Reply>)
})

app.all(PATH, allowOnly('POST'))

export default app
