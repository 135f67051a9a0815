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
        Sends {endpoint.events.includes('*') ? 'all events' : endpoint.events.join(', ')}.{' '}
        <a href={`/${mode}/events?state=pending`}>{count(endpoint.pending)} pending</a>,{' '}
        <a href={`/${mode}/events?state=failed`}>{count(endpoint.failed)} failed</a> for good.
      </p>
      {endpoint.disabled_at && (
        <p>
          Disabled since <Time at={endpoint.disabled_at} />. Pending events wait. Those that happen until it is enabled
          are not sent to it, unless they are replayed.
        </p>
      )}
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

function Health({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { state, text } = endpointHealth(endpoint)
  return <span class={state ? `state ${state}` : 'state'}>{text}</span>
}
