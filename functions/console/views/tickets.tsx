import type { Mode, Viewer } from '../session.ts'
import { consolePage } from './layout.tsx'
import { Older, Table, Time } from './parts.tsx'

/** The result of list_tickets. */
export interface TicketList {
  tickets: ListedTicket[]
  has_more: boolean
}

export interface ListedTicket {
  id: number
  paywall_id: string
  user_id: string | null
  email: string | null
  subject: string
  status: string
  created_at: string
}

export const ticketsPage = ({ viewer, tickets, has_more, mode }: TicketList & { viewer: Viewer; mode: Mode }) =>
  consolePage({
    title: 'Tickets',
    section: 'Tickets',
    mode,
    viewer,
    children: (
      <>
        {tickets.length === 0 && <p>There are no tickets.</p>}
        {tickets.length > 0 && (
          <Table caption="Tickets" head={['Ticket', 'From', 'Paywall', 'Status', 'When']}>
            {tickets.map((ticket) => (
              <tr>
                <td>
                  <a href={`/${mode}/tickets/${ticket.id}`}>
                    #{ticket.id} {ticket.subject}
                  </a>
                </td>
                <td>{ticket.email ?? 'anonymous'}</td>
                <td>{ticket.paywall_id}</td>
                <td>
                  <span class={`state ${ticket.status === 'open' ? 'pending' : ''}`}>{ticket.status}</span>
                </td>
                <td>
                  <Time at={ticket.created_at} />
                </td>
              </tr>
            ))}
          </Table>
        )}
        <Older before={has_more ? String(tickets.at(-1)?.id) : null} />
      </>
    ),
  })
