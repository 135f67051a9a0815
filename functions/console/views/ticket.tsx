import type { Mode, Viewer } from '../session.ts'
import { consolePage } from './layout.tsx'
import { Time } from './parts.tsx'
import type { ListedTicket } from './tickets.tsx'

/** The result of show_ticket. */
export interface TicketDetails {
  ticket: ListedTicket & {
    content: string
    images: { key: string; name: string; media_type: string; size: number }[]
  }
}

export const ticketPage = ({ viewer, ticket, mode }: TicketDetails & { viewer: Viewer; mode: Mode }) =>
  consolePage({
    title: `#${ticket.id} ${ticket.subject}`,
    section: 'Tickets',
    mode,
    viewer,
    children: (
      <>
        <p>
          <Sender ticket={ticket} mode={mode} />, <Time at={ticket.created_at} />, paywall {ticket.paywall_id},{' '}
          {ticket.status}
        </p>
        <p class="text">{ticket.content}</p>
        {ticket.images.map(({ key, name }) => (
          <p>
            <a href={`/${mode}/tickets/${ticket.id}/images/${key}`}>
              <img src={`/${mode}/tickets/${ticket.id}/images/${key}`} alt={name} loading="lazy" />
            </a>
          </p>
        ))}
        {ticket.status === 'open' && viewer.permissions.includes('close_ticket') && (
          <form method="post" action={`/${mode}/tickets/${ticket.id}`}>
            <button type="submit">Close</button>
          </form>
        )}
      </>
    ),
  })

function Sender({ ticket: { user_id, email }, mode }: TicketDetails & { mode: Mode }) {
  const name = email ?? 'anonymous'
  return user_id ? <a href={`/${mode}/users/${user_id}`}>{name}</a> : <>{name} (guest)</>
}
