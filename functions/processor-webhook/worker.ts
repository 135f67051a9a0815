import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/http/app.ts'
import { ApiError, refuse } from '../../lib/http/errors.ts'
import { log } from '../../lib/http/log.ts'
import { readText } from '../../lib/http/parse.ts'
import { placeOf } from '../../lib/http/place.ts'
import { ForgedEvent } from '../../lib/processors/event.ts'
import { readEvent } from '../../lib/processors/inbound.ts'
import { processorFor } from '../../lib/processors/registry.ts'
import { catchUp } from '../../lib/purchases/catch-up.ts'
import { PATH, Params, words } from './contract.ts'
import { readAccount } from './read-account.sql.ts'

/** Larger than any event that a processor sends, in bytes. */
const EVENT_LIMIT = 1024 * 1024

const app = createApp<Cloudflare.ProcessorWebhookEnv>()

/**
 * What processors tell us. The event is proven and then only a hint: the purchase is fetched and stored as it is now.
 * Anything but 2xx makes the processor send it again, so a failure loses nothing.
 */
app.post(PATH, async (c) => {
  const asked = Params.safeParse(c.req.param())
  if (!asked.success) throw refuse(words.unknown_processor)
  const { acquiring } = asked.data

  const rawBody = await readText(c.req.raw, EVENT_LIMIT)
  const db = connect(c.env)
  const place = placeOf(c)
  const found = await readAccount(db, acquiring, place)
  if (!found) throw refuse(words.unknown_paywall)

  const { paywallId } = place
  try {
    const inbound = { headers: c.req.raw.headers, rawBody, now: new Date() }
    const { id: eventId, about, ...told } = await readEvent(found.account, c.env, inbound)
    const hint = { ...told, paywallId, eventId, fetchedAt: found.now }
    const stored = about && (await catchUp(db, await processorFor(found.account, c.env), about, hint))
    if (!stored) return c.json({ received: true })

    const { verdict, queued } = stored
    if (verdict === 'unknown_checkout') log('warn', 'a purchase without a checkout of ours', { paywall_id: paywallId })
    if (queued > 0) c.executionCtx.waitUntil(c.env.EVENTS.send({ queued }))
    return c.json({ received: true })
  } catch (error) {
    if (error instanceof ForgedEvent) throw new ApiError(...words.forged, { cause: error })
    throw error
  }
})

app.all(PATH, allowOnly('POST'))

export default app
