// Opens a support ticket. Its images could fill most of a Worker's memory, so the form is streamed to the Worker. The text fields come
// first and are copied on the way, so that they can be shown again if the ticket is refused.
import * as z from 'zod'
import { type PagesContext, type Refused, toRefused, withToken } from './call-api.ts'
import { copyBeginning, fieldsIn, hasFiles } from './form.ts'
import { messageFor } from './problem.ts'
import { showPage } from './show.ts'
import { findSite, type Site } from './site.ts'
import { ticketPage } from './views/ticket.tsx'

const Opened = z.object({ ticket: z.object({ id: z.int() }) })

export async function showTicket(c: PagesContext): Promise<Response> {
  const site = await findSite(c)
  return showPage(c, site, ticketPage(site, {}))
}

export async function openTicket(c: PagesContext): Promise<Response> {
  const site = await findSite(c)
  const type = c.req.header('content-type') ?? ''
  const { body, beginning } = copyBeginning(c.req.raw.body)
  const path = `/api/v1/paywall/${site.paywallId}/support/ticket`
  const length = c.req.header('content-length')
  const headers = { 'Content-Type': type, ...(length && { 'Content-Length': length }) }
  const response = await c.env.SUPPORT_TICKET.fetch(
    withToken(c, { path, token: senderToken(site) }, { method: 'POST', headers, body }),
  )
  if (response.ok) {
    const { ticket } = Opened.parse(await response.json())
    return showPage(c, site, ticketPage(site, { opened: ticket.id }))
  }
  const refused = await toRefused(response)
  const { text } = beginning
  const problem = [describeProblem(refused, site), ...(hasFiles(text) ? [site.texts.imagesAgain] : [])].join(' ')
  return showPage(c, site, ticketPage(site, { written: fieldsIn(text, type), problem }), refused.status)
}

function describeProblem(refused: Refused, { texts }: Site): string {
  // The form's text fits, so its images are too large.
  if (refused.error === 'payload_too_large') return texts.wrongImages
  // Only requests that certainly had no effect get a `Retry-After`. Here the ticket may be open, and a retry would open a second one.
  if (refused.error === 'database_unavailable' && refused.retryAfter === null) return texts.ticketMayBeOpen
  return messageFor(refused, texts)
}

/** A user with an e-mail address writes as itself. An anonymous user writes as a guest, with an address from the form. */
const senderToken = ({ user, token }: Site) => (user?.email ? token : null)
