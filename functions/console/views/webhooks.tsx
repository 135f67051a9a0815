import { type EndpointList, endpointHealth, type WebhookEndpoint } from '../../../lib/events/webhook-endpoint.ts'
import type { Mode, Viewer } from '../session.ts'
import { consolePage } from './layout.tsx'
import { ActForm, Time } from './parts.tsx'

export const webhooksPage = ({ viewer, endpoints, most, mode }: EndpointList & { viewer: Viewer; mode: Mode }) =>
  consolePage({
    title: 'Webhooks',
    section: 'Webhooks',
    mode,
    viewer,
    children: (
      <>
        {endpoints.length === 0 && <p>There is no webhook endpoint. Add one to the paywall file.</p>}
        {endpoints.map((endpoint) => (
          <EndpointSection endpoint={endpoint} most={most} mode={mode} viewer={viewer} />
        ))}
      </>
    ),
  })

function EndpointSection({
  endpoint,
  most,
  mode,
  viewer,
}: {
  endpoint: WebhookEndpoint
  most: number
  mode: Mode
  viewer: Viewer
}) {
  const isEnabled = endpoint.disabled_at === null
  const act = isEnabled ? 'disable_webhook' : 'enable_webhook'
  const count = (number: number) => (number === most ? `${most} or more` : number)
  return (
    <article class="card">
      <h2>
        {endpoint.url} <Health endpoint={endpoint} />
      </h2>
      <p>
        Gets {endpoint.events.includes('*') ? 'all events' : endpoint.events.join(', ')}.{' '}
        <a href={`/${mode}/events?state=pending`}>{count(endpoint.pending)} pending</a>,{' '}
        <a href={`/${mode}/events?state=failed`}>{count(endpoint.failed)} failed</a> for good.
      </p>
      {endpoint.disabled_at && (
        <p>
          Disabled since <Time at={endpoint.disabled_at} />. Pending events wait. Those that happen until it is enabled
          are not sent to it, unless they are replayed.
        </p>
      )}
      {isEnabled && viewer.permissions.includes('ping_webhook') && (
        <form method="post" action={`/${mode}/webhooks/test`}>
          <input type="hidden" name="endpoint" value={endpoint.id} />
          <button type="submit">Send a test event</button>
        </form>
      )}
      {viewer.permissions.includes('rotate_webhook') && <Rotation endpoint={endpoint} mode={mode} />}
      {viewer.permissions.includes(act) && (
        <ActForm
          action={`/${mode}/webhooks`}
          label={isEnabled ? 'Disable' : 'Enable'}
          fields={{ endpoint: endpoint.id, enabled: isEnabled ? 'no' : 'yes' }}
        />
      )}
    </article>
  )
}

function Rotation({ endpoint, mode }: { endpoint: WebhookEndpoint; mode: Mode }) {
  const { id, url, is_secret_generated, previous_secret_until } = endpoint
  if (previous_secret_until) {
    return (
      <p>
        Its secret was rotated. Until <Time at={previous_secret_until} /> each event is signed with the previous one,
        too.
      </p>
    )
  }
  if (!is_secret_generated) {
    return <p class="hint">Its secret is in the paywall file. To rotate it, change it there, and apply the file.</p>
  }
  return (
    <ActForm action={`/${mode}/webhooks/rotate`} label="Rotate its secret" fields={{ endpoint: id, url }}>
      <p class="hint">The new secret is shown once. For 24 hours each event is signed with both.</p>
    </ActForm>
  )
}

function Health({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { state, text } = endpointHealth(endpoint)
  return <span class={state ? `state ${state}` : 'state'}>{text}</span>
}
