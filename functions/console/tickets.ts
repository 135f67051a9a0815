import {
  closeTicket,
  findTicketImage,
  listTickets,
  recordReplySent,
  replyToTicket,
  showTicket,
} from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { ApiError, apiError, defineErrors } from '../../lib/http/errors.ts'
import { log } from '../../lib/log/log.ts'
import { type ActRefusal, act } from './act.ts'
import { MAX_REPLY, readKey, readQuery } from './form.ts'
import { type ReplyMail, writeReplyMail } from './reply-mail.ts'
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
type TicketResult = ActRefusal | { verdict: 'unknown_ticket' } | { verdict: 'done' }
type ReplyResult =
  | ActRefusal
  | { verdict: 'unknown_ticket' | 'no_address' | 'sent' }
  | ({ verdict: 'stored' } & ReplyMail)

const errors = defineErrors({
  unknown_ticket: [404, 'ticket_not_found', 'There is no such ticket'],
  unknown_act: [400, 'invalid_act', 'There is no such act'],
  no_address: [409, 'no_address', 'The ticket is by an anonymous user, who has no e-mail address'],
  wrong_reply: [400, 'invalid_reply', `A reply has 1 to ${MAX_REPLY} characters`],
  not_mailed: [502, 'not_mailed', 'The reply is stored, but the mail could not be sent. Go back and send it again'],
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

/** Replies to a ticket or closes it, as its form requests. */
export const actOnTicket = act(async (c, session, form) => {
  if (form.act === 'reply') return reply(c, session, form)
  if (form.act === 'close') return close(c, session)
  throw apiError(errors.unknown_act)
})

/** Stores the reply, mails it, and records that it was mailed. If that fails, the same form can be sent again. */
async function reply(c: ConsoleContext, sessionHash: string, form: Record<string, string>) {
  const content = form.content?.trim() ?? ''
  if (content === '' || content.length > MAX_REPLY) throw apiError(errors.wrong_reply)
  const about = { sessionHash, isTest: isTestMode(c), ticketId: c.req.param('ticket') ?? '', replyId: readKey(form) }
  const db = connect(c.env)
  const row = await replyToTicket<ReplyResult>(db, { ...about, content })
  switch (row.verdict) {
    case 'unknown_ticket':
    case 'no_address':
      throw apiError(errors[row.verdict])
    case 'sent':
      return c.req.path
    case 'stored': {
      await c.env.EMAIL.send(writeReplyMail(about.ticketId, row, c.env.EMAIL_FROM)).catch(refuseUnmailed)
      return toOutcome(c, await recordReplySent<TicketResult>(db, { ...about, closes: form.close === 'yes' }))
    }
    default:
      return row
  }
}

/** The error's message is not logged: it may contain the address. */
function refuseUnmailed(error: unknown): never {
  log('error', 'reply to a ticket not mailed', { reason: error instanceof Error ? error.name : typeof error })
  throw new ApiError(errors.not_mailed)
}

async function close(c: ConsoleContext, session: string) {
  const row = await closeTicket<TicketResult>(connect(c.env), {
    sessionHash: session,
    isTest: isTestMode(c),
    ticketId: c.req.param('ticket') ?? '',
  })
  return toOutcome(c, row)
}

function toOutcome(c: ConsoleContext, row: TicketResult): ActRefusal | string {
  if (row.verdict === 'unknown_ticket') throw apiError(errors.unknown_ticket)
  return row.verdict === 'done' ? c.req.path : row
}
