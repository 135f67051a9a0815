import { MAX_REPLY } from '../form.ts'
import type { Mode, Viewer } from '../session.ts'
import { consolePage } from './layout.tsx'
import { Time } from './parts.tsx'
import type { ListedTicket } from './tickets.tsx'

/** The result of show_ticket. */
export interface TicketDetails {
  ticket: ListedTicket & {
    content: string
    replies: { email: string; content: string; created_at: string; sent_at: string | null }[]
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
        {ticket.replies.map(({ email, content, created_at, sent_at }) => (
          <article class="card">
            <p class="quiet">
              {email}, <Time at={created_at} />
              {!sent_at && ', not mailed'}
            </p>
            <p class="text">{content}</p>
          </article>
        ))}
        {ticket.email && viewer.permissions.includes('reply_to_ticket') && <Reply ticket={ticket} mode={mode} />}
        {ticket.status === 'open' && viewer.permissions.includes('close_ticket') && (
          <form method="post" action={`/${mode}/tickets/${ticket.id}`}>
            <input type="hidden" name="act" value="close" />
            <button type="submit">Close</button>
          </form>
        )}
      </>
    ),
  })

function Reply({ ticket, mode }: TicketDetails & { mode: Mode }) {
  return (
    <form class="reply" method="post" action={`/${mode}/tickets/${ticket.id}`}>
      <input type="hidden" name="act" value="reply" />
      <input type="hidden" name="key" value={crypto.randomUUID()} />
      <label>
        Reply to {ticket.email}
        <textarea name="content" rows={6} required maxlength={MAX_REPLY} />
      </label>
      {ticket.status === 'open' && (
        <label class="check">
          <input type="checkbox" name="close" value="yes" /> Close the ticket
        </label>
      )}
      <button type="submit">Mail the reply</button>
    </form>
  )
}

function Sender({ ticket: { user_id, email }, mode }: TicketDetails & { mode: Mode }) {
  const name = email ?? 'anonymous'
  return user_id ? <a href={`/${mode}/users/${user_id}`}>{name}</a> : <>{name} (guest)</>
}
