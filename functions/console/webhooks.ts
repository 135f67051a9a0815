import { listWebhookEndpoints, pingWebhook, rotateWebhook, setWebhookEnabled } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import type { EndpointList } from '../../lib/events/webhook-endpoint.ts'
import type { WebhookSecretsRpc } from '../../lib/events/webhook-secret.ts'
import { apiError, defineErrors } from '../../lib/http/errors.ts'
import { type ActRefusal, act } from './act.ts'
import { readReason } from './form.ts'
import {
  type ConsoleContext,
  isTestMode,
  type PageResult,
  pageMode,
  sessionErrors,
  sessionHash,
  type Viewer,
} from './session.ts'
import { showPage } from './show.ts'
import { newSecretPage } from './views/new-secret.tsx'
import { webhooksPage } from './views/webhooks.tsx'

type Missing = { verdict: 'unknown_endpoint' }
type ChangeResult = ActRefusal | Missing | { verdict: 'done' }
type PingResult =
  | ActRefusal
  | Missing
  | { verdict: 'disabled' }
  | { verdict: 'no_paywall' }
  | { verdict: 'sent'; event_id: string }
type RotateResult =
  | ActRefusal
  | Missing
  | { verdict: 'secret_in_file' }
  | { verdict: 'rotating' }
  | { verdict: 'rotated'; previous_secret_until: string; viewer: Viewer }

const errors = defineErrors<'unknown_endpoint' | 'disabled' | 'no_paywall' | 'secret_in_file' | 'rotating'>({
  unknown_endpoint: [404, 'endpoint_not_found', 'There is no such webhook endpoint'],
  disabled: [409, 'endpoint_disabled', 'Enable the webhook endpoint first'],
  no_paywall: [409, 'no_paywall', 'A test event names a paywall, and the owner has none of this mode'],
  secret_in_file: [409, 'secret_in_file', 'The secret is in the paywall file: change it there, and apply the file'],
  rotating: [409, 'secret_rotating', 'The secret was rotated less than 24 hours ago: the previous one still signs'],
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

/** Sends a test event to a webhook endpoint, and shows the event. */
export const sendTestEvent = act(async (c, session, form) => {
  const row = await pingWebhook<PingResult>(connect(c.env), {
    sessionHash: session,
    isTest: isTestMode(c),
    endpointId: form.endpoint ?? '',
  })
  switch (row.verdict) {
    case 'unknown_endpoint':
    case 'disabled':
    case 'no_paywall':
      throw apiError(errors[row.verdict])
    case 'sent':
      c.executionCtx.waitUntil(wakeDeliverEvents(c.env, 1))
      return `/${pageMode(c)}/events/${row.event_id}`
    default:
      return row
  }
})

/** Gives a webhook endpoint a new secret, and shows it. It is encrypted for the endpoint's URL, which the database compares. */
export const rotateSecret = act(async (c, session, form) => {
  const { endpoint = '', url = '' } = form
  const reason = readReason(form)
  const { secret, sealed } = await (c.env.DELIVER_EVENTS as unknown as WebhookSecretsRpc).newSecret(url)
  const row = await rotateWebhook<RotateResult>(connect(c.env), {
    sessionHash: session,
    isTest: isTestMode(c),
    endpointId: endpoint,
    url,
    secret: sealed,
    reason,
  })
  switch (row.verdict) {
    case 'unknown_endpoint':
    case 'secret_in_file':
    case 'rotating':
      throw apiError(errors[row.verdict])
    case 'rotated': {
      const { viewer, previous_secret_until: until } = row
      return showPage(c, newSecretPage({ viewer, url, secret, until, mode: pageMode(c) }))
    }
    default:
      return row
  }
})
