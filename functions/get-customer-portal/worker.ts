import type * as z from 'zod'
import { findPortalCustomer } from '../../generated/calls.ts'
import { misplacedKey, readCredential } from '../../lib/auth/credential.ts'
import { keyFirst } from '../../lib/auth/key-first.ts'
import { connect } from '../../lib/db/connect.ts'
import { callerParameters } from '../../lib/db/gate.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { refuse } from '../../lib/http/errors.ts'
import { parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, placeOf } from '../../lib/http/place.ts'
import { processorFor } from '../../lib/processors/client.ts'
import { Body, PATH, type Reply, words } from './contract.ts'
import type { FindResult } from './portal-customer.ts'

const app = createApp<Cloudflare.GetCustomerPortalEnv>()

app.post(PATH, async (c) => {
  const place = placeOf(c)
  const caller = await readCredential(c.req, c.env)
  if (caller.kind === 'none') throw refuse(words.no_credential)
  if (caller.kind === 'bad_token') throw refuse(words.bad_token, misplacedKey(c.req))
  const onFault = keyFirst(c.env, caller, words)
  await checkPaywallId(c.req, place).catch(onFault)

  const request = caller.kind === 'owner' ? await parseJson(c.req, Body).catch(onFault) : { userMeta: {} }
  const row = await findPortalCustomer<FindResult>(connect(c.env), {
    ...place,
    ...callerParameters(caller),
    ...request,
  })
  if (row.verdict === 'no_subscription') throw refuse(words.no_subscription, { isTest: row.is_test ? '1' : '0' })
  if (row.verdict !== 'found') throw refuse(words[row.verdict])

  const { account, customer, home } = row.customer
  // The front page of the owner's site, and never a page of ours: `home` itself greets a buyer, or one who did not buy.
  using processor = processorFor(account, c.env)
  const url = await processor.openPortal(customer, new URL('/', home).href)
  if (url === null) throw refuse(words.no_portal, { isTest: row.is_test ? '1' : '0' })
  c.header('Cache-Control', 'no-store')
  return c.json({ url } satisfies z.input<typeof Reply>)
})

app.all(PATH, allowOnly('POST'))

export default app
