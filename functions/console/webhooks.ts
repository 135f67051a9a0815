import { listWebhookEndpoints, setWebhookEnabled } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import type { EndpointList } from '../../lib/events/webhook-endpoint.ts'
import { apiError, defineErrors } from '../../lib/http/errors.ts'
import { type ActRefusal, act } from './act.ts'
import { readReason } from './form.ts'
import { type ConsoleContext, isTestMode, type PageResult, pageMode, sessionErrors, sessionHash } from './session.ts'
import { showPage } from './show.ts'
import { webhooksPage } from './views/webhooks.tsx'

type ChangeResult = ActRefusal | { verdict: 'unknown_endpoint' } | { verdict: 'done' }

const errors = defineErrors<'unknown_endpoint'>({
  unknown_endpoint: [404, 'endpoint_not_found', 'There is no such webhook endpoint'],
})

export async function serveWebhooks(c: ConsoleContext): Promise<Response> {
  const row = await listWebhookEndpoints<PageResult<EndpointList>>(connect(c.env), {
    sessionHash: await sessionHash(c),
    isTest: isTestMode(c),
  })
  if (row.verdict !== 'found') throw apiError(sessionErrors[row.verdict])
  return showPage(c, webhooksPage({ ...row, mode: pageMode(c) }))
}

/** Enables or disables a webhook endpoint. */
export const changeWebhook = act(async (c, session, form) => {
  const row = await setWebhookEnabled<ChangeResult>(connect(c.env), {
    sessionHash: session,
    isTest: isTestMode(c),
    endpointId: form.endpoint ?? '',
    enabled: form.enabled === 'yes',
    reason: readReason(form),
  })
  if (row.verdict === 'unknown_endpoint') throw apiError(errors.unknown_endpoint)
  return row.verdict === 'done' ? c.req.path : row
})
