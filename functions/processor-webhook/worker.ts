// Processors' webhooks. Any response but 2xx makes the processor retry:
// 1. refuse requests without a plausible signature, without a database call
// 2. read the paywall's account, and verify with it that the processor sent the event (with-verified-event.ts)
// 3. the event is only a trigger: fetch the current purchase and store it, or keep the event until that succeeds (handle-event.ts)
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { ApiError, apiError } from '../../lib/http/errors.ts'
import { readText } from '../../lib/http/parse.ts'
import { loggablePaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import { log } from '../../lib/log/log.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { InvalidSignature, MalformedEvent } from '../../lib/processors/event.ts'
import { errors, PATH, Params } from './contract.ts'
import { handleEvent, type RequestContext } from './handle-event.ts'
import { handleNotice } from './handle-notice.ts'
import { withVerifiedEvent } from './with-verified-event.ts'

/** Maximum body size in bytes, larger than any processor's event. */
const EVENT_LIMIT = 1024 * 1024

const app = createApp<Cloudflare.ProcessorWebhookEnv>()

app.post(PATH, async (c) => {
  const path = Params.safeParse(c.req.param())
  if (!path.success) throw apiError(errors.unknown_processor)
  const { acquiring } = path.data

  const target = paywallTarget(c)
  if (!loggablePaywallId(target.paywallId)) throw apiError(errors.unknown_paywall)
  const rawBody = await readText(c.req.raw, EVENT_LIMIT)
  const request = { headers: c.req.raw.headers, rawBody, now: new Date() }
  const context: RequestContext = {
    db: connect(c.env),
    env: c.env,
    waitUntil: (work) => c.executionCtx.waitUntil(work),
  }
  const { webhook } = DEFINITIONS[acquiring]
  try {
    const notice = webhook.readNotice?.({ ...request, address: new URL(c.req.url) })
    if (notice) {
      await handleNotice(context, { paywallId: target.paywallId, acquiring }, notice)
      return c.json({ received: true })
    }
    if (!webhook.hasWellFormedSignature(request.headers, request.now)) throw apiError(errors.forged)
    await withVerifiedEvent(context, { ...target, acquiring }, request, (processor, event, read) =>
      handleEvent(context, processor, event, read),
    )
    return c.json({ received: true })
  } catch (error) {
    if (error instanceof InvalidSignature) throw new ApiError(errors.forged, { cause: error })
    if (error instanceof MalformedEvent) {
      log('warn', 'signed event malformed', { cause: error })
      throw new ApiError(errors.malformed, { cause: error })
    }
    throw error
  }
})

app.all(PATH, allowOnly('POST'))

export default app
