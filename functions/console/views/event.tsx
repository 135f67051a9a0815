import type { Attempt, EventDetails } from '../../../lib/events/listed-event.ts'
import type { Mode, Viewer } from '../session.ts'
import { consolePage } from './layout.tsx'
import { ActForm, Table, Time, UserLink } from './parts.tsx'

export const eventPage = ({ viewer, event, mode }: { viewer: Viewer; event: EventDetails; mode: Mode }) =>
  consolePage({
    title: event.type,
    section: 'Events',
    mode,
    viewer,
    children: (
      <>
        <p>
          <code>{event.id}</code>, <Time at={event.created_at} />, paywall {event.paywall_id},{' '}
          <UserLink user={event.user} mode={mode} />
        </p>
        <h2>Deliveries</h2>
        {event.deliveries.length === 0 && <p>No webhook endpoint subscribes to this type.</p>}
        {event.deliveries.length > 0 && (
          <Table caption="Deliveries" head={['Endpoint', 'State', 'Attempts', 'Last response', 'Next attempt']}>
            {event.deliveries.map((delivery) => (
              <tr>
                <td>{delivery.url}</td>
                <td>
                  <span class={`state ${delivery.state}`}>{delivery.state}</span>
                </td>
                <td class="number">{delivery.attempts}</td>
                <td>{delivery.last_status ?? delivery.last_error ?? '–'}</td>
                <td>{delivery.next_attempt_at ? <Time at={delivery.next_attempt_at} /> : '–'}</td>
              </tr>
            ))}
          </Table>
        )}
        {event.attempts.length > 0 && <Attempts attempts={event.attempts} />}
        {viewer.permissions.includes('replay_events') && (
          <ActForm action={`/${mode}/events/replay`} label="Send again" fields={{ event: event.id }} />
        )}
        <h2>Payload</h2>
        {event.is_redacted && <p class="quiet">Personal data was removed, because the event is older than 30 days.</p>}
        <pre>{JSON.stringify(JSON.parse(event.body), null, 2)}</pre>
      </>
    ),
  })

function Attempts({ attempts }: { attempts: Attempt[] }) {
  return (
    <Table caption="Attempts" head={['Attempt', 'Endpoint', 'Status', 'Milliseconds', 'Response']}>
      {attempts.map((attempt) => (
        <tr>
          <td>
            <Time at={attempt.at} />
          </td>
          <td>{attempt.url}</td>
          <td>{attempt.status ?? attempt.error}</td>
          <td class="number">{attempt.milliseconds}</td>
          <td>
            <code>{attempt.response}</code>
          </td>
        </tr>
      ))}
    </Table>
  )
}
