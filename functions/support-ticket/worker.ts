import { openTicket } from '../../generated/calls.ts'
import { misplacedKey, readBearer } from '../../lib/auth/credential.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { apiError } from '../../lib/http/errors.ts'
import { reportUnknownOutcome } from '../../lib/http/idempotency.ts'
import { checkPaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import { parseNetworks } from '../../lib/rate-limits/networks.ts'
import { discard, type StoredImages } from './attachments.ts'
import { errors, PATH, refuseTicket } from './contract.ts'
import { readRest } from './multipart.ts'
import { readTicket } from './read-ticket.ts'
import { type OpenResult, senderParameters } from './ticket.ts'

/** Calls are not idempotent: if the first one took effect, its retry opens a second ticket. */
const TICKET_UNKNOWN = 'It is unknown whether the ticket was opened: a retry may open a second one'

const app = createApp<Cloudflare.SupportTicketEnv>()

app.use(async function readRestOfRefused(c, next) {
  await next()
  if (c.res.status >= 400) await readRest(c.req.raw)
})

/** An owner key is ignored: without a Bearer token the caller is a guest. */
app.post(PATH, async (c) => {
  const target = paywallTarget(c)
  const bearer = await readBearer(c.req, c.env)
  if (bearer.kind === 'bad_token') throw apiError(errors.bad_token, misplacedKey(c.req))
  await checkPaywallId(c.req, target)

  const bucket = c.env.ATTACHMENTS
  const db = connect(c.env)
  const stored: StoredImages = { attachments: [], pieces: [] }
  const clear = (isRefused: boolean) => {
    const images = isRefused ? stored.attachments.map(({ object_key }) => object_key) : []
    c.executionCtx.waitUntil(discard(bucket, [...stored.pieces, ...images]))
  }
  const network = c.env.RATE_LIMITED ? parseNetworks(c.req.header('cf-connecting-ip')).wide : null
  const request = await readTicket(c, { db, bucket, target: target, bearer, network }, stored).catch((refusal) => {
    clear(true)
    throw refusal
  })

  // If this call fails, the ticket may have been opened nevertheless. Its images are therefore kept.
  const { who, ...message } = request
  const ticket = { ...message, attachments: stored.attachments, network }
  const row = await openTicket<OpenResult>(db, { ...target, ...senderParameters(who), ...ticket })
    .catch((failure) => {
      clear(false)
      throw failure
    })
    .catch(reportUnknownOutcome({ detail: { message: TICKET_UNKNOWN } }))
  clear(row.verdict !== 'opened')
  if (row.verdict !== 'opened') throw refuseTicket(row)
  c.executionCtx.waitUntil(wakeDeliverEvents(c.env, row.queued))
  return c.json({ ticket: row.ticket })
})

app.all(PATH, allowOnly('POST'))

export default app
