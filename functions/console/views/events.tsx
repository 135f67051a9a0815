import type { EventList } from '../../../lib/events/listed-event.ts'
import { EVENT_TYPES } from '../../../lib/events/types.ts'
import type { Mode, Viewer } from '../session.ts'
import { consolePage } from './layout.tsx'
import { ActForm, DeliveryStates, Older, Table, Time, UserLink } from './parts.tsx'

/** The result of browse_events. */
export interface EventBrowser extends EventList {
  paywalls: { id: string; name: string }[]
}

export interface EventFilter {
  type: string | null
  paywallId: string | null
  state: string | null
}

export const eventsPage = ({ viewer, events, next, paywalls, filter, since, mode }: EventBrowser & EventsPageProps) =>
  consolePage({
    title: 'Events',
    section: 'Events',
    mode,
    viewer,
    children: (
      <>
        <Filter filter={filter} paywalls={paywalls} />
        {events.length === 0 && <p>{next ? 'None of the latest events match. Older ones may.' : 'No events match.'}</p>}
        {events.length > 0 && (
          <Table caption="Events" head={['When', 'Event', 'User', 'Paywall', 'Delivery']}>
            {events.map((event) => (
              <tr>
                <td>
                  <Time at={event.created_at} />
                </td>
                <td>
                  <a href={`/${mode}/events/${event.id}`}>{event.type}</a>
                </td>
                <td>
                  <UserLink user={event.user} mode={mode} />
                </td>
                <td>{event.paywall_id}</td>
                <td>
                  <DeliveryStates deliveries={event.deliveries} />
                </td>
              </tr>
            ))}
          </Table>
        )}
        <Older query={toQuery(filter)} before={next} />
        {viewer.permissions.includes('replay_events') && <ReplayForm mode={mode} since={since} />}
      </>
    ),
  })

interface EventsPageProps {
  viewer: Viewer
  filter: EventFilter
  /** Where a replay that has sent a thousand events continues, in ISO 8601. */
  since: string | null
  mode: Mode
}

function toQuery({ type, paywallId, state }: EventFilter): Record<string, string> {
  return { ...(type && { type }), ...(paywallId && { paywall: paywallId }), ...(state && { state }) }
}

function Filter({ filter, paywalls }: { filter: EventFilter; paywalls: EventBrowser['paywalls'] }) {
  return (
    <form method="get" class="search">
      <Choice label="Event" name="type" chosen={filter.type} choices={EVENT_TYPES.map((type) => [type, type])} />
      <Choice
        label="Paywall"
        name="paywall"
        chosen={filter.paywallId}
        choices={paywalls.map(({ id, name }) => [id, `${name} (${id})`])}
      />
      <Choice
        label="Delivery"
        name="state"
        chosen={filter.state}
        choices={['failed', 'pending'].map((state) => [state, state])}
      />
      <button type="submit">Filter</button>
    </form>
  )
}

function Choice({
  label,
  name,
  chosen,
  choices,
}: {
  label: string
  name: string
  chosen: string | null
  choices: string[][]
}) {
  return (
    <label>
      {label}{' '}
      <select name={name}>
        <option value="">all</option>
        {choices.map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

function ReplayForm({ mode, since }: { mode: Mode; since: string | null }) {
  return (
    <>
      {since && (
        <p role="status">A thousand events are sent again. Continue with those from {since.replace('Z', '')} on.</p>
      )}
      <ActForm action={`/${mode}/events/replay`} label="Send events again" fields={{}}>
        <label>
          From (UTC) <input type="datetime-local" name="since" value={since?.replace('Z', '')} step="any" required />
        </label>
        <label>
          Until (UTC) <input type="datetime-local" name="until" />
        </label>
        <label class="check">
          <input type="checkbox" name="failed" value="yes" checked /> only those that failed
        </label>
        <p class="hint">To all endpoints that are enabled. A thousand events at once, the oldest first.</p>
      </ActForm>
    </>
  )
}
