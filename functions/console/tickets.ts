import { closeTicket, findTicketImage, listTickets, showTicket } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { apiError, defineErrors } from '../../lib/http/errors.ts'
import { type ActRefusal, act } from './act.ts'
import { readQuery } from './form.ts'
import {
  type ConsoleContext,
  isTestMode,
  type PageRefusal,
  type PageResult,
  pageMode,
  sessionErrors,
  sessionHash,
} from './session.ts'
import { showPage } from './show.ts'
import { type TicketDetails, ticketPage } from './views/ticket.tsx'
import { type TicketList, ticketsPage } from './views/tickets.tsx'

type ImageResult = { verdict: PageRefusal | 'unknown_image' } | { verdict: 'found'; media_type: string }
type CloseResult = ActRefusal | { verdict: 'unknown_ticket' } | { verdict: 'done' }

const errors = defineErrors<'unknown_ticket' | 'unknown_image'>({
  unknown_ticket: [404, 'ticket_not_found', 'There is no such ticket'],
  unknown_image: [404, 'image_not_found', 'There is no such image'],
})

export async function serveTickets(c: ConsoleContext): Promise<Response> {
  const { before } = await readQuery(c)
  const row = await listTickets<PageResult<TicketList>>(connect(c.env), {
    sessionHash: await sessionHash(c),
    isTest: isTestMode(c),
    before,
  })
  if (row.verdict !== 'found') throw apiError(sessionErrors[row.verdict])
  return showPage(c, ticketsPage({ ...row, mode: pageMode(c) }))
}

export async function serveTicket(c: ConsoleContext): Promise<Response> {
  const row = await showTicket<PageResult<TicketDetails, 'unknown_ticket'>>(connect(c.env), {
    sessionHash: await sessionHash(c),
    isTest: isTestMode(c),
    ticketId: c.req.param('ticket') ?? '',
  })
  if (row.verdict === 'unknown_ticket') throw apiError(errors.unknown_ticket)
  if (row.verdict !== 'found') throw apiError(sessionErrors[row.verdict])
  return showPage(c, ticketPage({ ...row, mode: pageMode(c) }))
}

/** Serves an image of a ticket. Strangers send them: nothing in it can run, and a browser does not guess another type. */
export async function serveTicketImage(c: ConsoleContext): Promise<Response> {
  const key = c.req.param('key') ?? ''
  const row = await findTicketImage<ImageResult>(connect(c.env), {
    sessionHash: await sessionHash(c),
    isTest: isTestMode(c),
    ticketId: c.req.param('ticket') ?? '',
    objectKey: key,
  })
  if (row.verdict === 'unknown_image') throw apiError(errors.unknown_image)
  if (row.verdict !== 'found') throw apiError(sessionErrors[row.verdict])
  const image = await c.env.ATTACHMENTS.get(key)
  if (!image) throw apiError(errors.unknown_image)
  c.header('Content-Security-Policy', "default-src 'none'; sandbox; frame-ancestors 'none'")
  return c.body(image.body, 200, { 'Content-Type': row.media_type })
}

export const close = act(async (c, session) => {
  const row = await closeTicket<CloseResult>(connect(c.env), {
    sessionHash: session,
    isTest: isTestMode(c),
    ticketId: c.req.param('ticket') ?? '',
  })
  if (row.verdict === 'unknown_ticket') throw apiError(errors.unknown_ticket)
  return row.verdict === 'done' ? c.req.path : row
})
