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
import { processorFor } from '../../lib/processors/client.ts'
import { Body, errors, PATH, type Reply } from './contract.ts'
import type { FindResult } from './portal-customer.ts'

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
