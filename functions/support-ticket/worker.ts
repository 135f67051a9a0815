import { openTicket } from '../../generated/calls.ts'
import { misplacedKey, readBearer } from '../../lib/auth/credential.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { refuse } from '../../lib/http/errors.ts'
import { networksOf } from '../../lib/http/networks.ts'
import { ifUnknown } from '../../lib/http/once.ts'
import { checkPaywallId, placeOf } from '../../lib/http/place.ts'
import { discard, type Stored } from './attachments.ts'
import { PATH, refuseTicket, words } from './contract.ts'
import { readRest } from './multipart.ts'
import { readTicket } from './read-ticket.ts'
import { type OpenResult, senderParameters } from './ticket.ts'

/** Every call opens a ticket of its own: if the first one took effect, its repeat opens a second. */
const TICKET_UNKNOWN = 'It is not known whether the ticket was opened: if you send it again, there may be two'

const app = createApp<Cloudflare.SupportTicketEnv>()

app.use(async function readRestOfRefused(c, next) {
  await next()
  if (c.res.status >= 400) await readRest(c.req.raw, c.get('requestId'))
})

/** An owner key says nothing here: without a Bearer token the call is a guest's. */
app.post(PATH, async (c) => {
  const place = placeOf(c)
  const bearer = await readBearer(c.req, c.env)
  if (bearer.kind === 'bad_token') throw refuse(words.bad_token, misplacedKey(c.req))
  await checkPaywallId(c.req, place)

  const bucket = c.env.ATTACHMENTS
  const db = connect(c.env)
  const stored: Stored = { attachments: [], pieces: [] }
  const clear = (isRefused: boolean) => {
    const images = isRefused ? stored.attachments.map(({ object_key }) => object_key) : []
    c.executionCtx.waitUntil(discard(bucket, [...stored.pieces, ...images]))
  }
  const network = c.env.RATE_LIMITED ? networksOf(c.req.header('cf-connecting-ip')).wide : null
  const request = await readTicket(c, { db, bucket, place, bearer, network }, stored).catch((refusal) => {
    clear(true)
    throw refusal
  })

  // If this call fails, the ticket may have been opened all the same. Its images therefore stay.
  const { who, ...message } = request
  const ticket = { ...message, attachments: stored.attachments, network }
  const row = await openTicket<OpenResult>(db, { ...place, ...senderParameters(who), ...ticket })
    .catch((failure) => {
      clear(false)
      throw failure
    })
    .catch(ifUnknown({ detail: { message: TICKET_UNKNOWN } }))
  clear(row.verdict !== 'opened')
  if (row.verdict !== 'opened') throw refuseTicket(row)
  c.executionCtx.waitUntil(wakeDeliverEvents(c.env, row.queued))
  return c.json({ ticket: row.ticket })
})

app.all(PATH, allowOnly('POST'))

export default app
