// What processors send us. Anything but 2xx makes the processor send it again:
// 1. read the event as it was sent, and refuse what no secret can have signed: anybody may send anything here, so the
//    database is not asked about that, nor about more of what was forged a moment ago (forged-accounts.ts). Then read the
//    paywall's account at that processor
// 2. prove that the processor sent it
// 3. take it as a hint only: fetch the purchase as it is now and store it, or keep the event until that can be done (handle-event.ts)
import { readAccount } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { ApiError, refuse } from '../../lib/http/errors.ts'
import { log } from '../../lib/http/log.ts'
import { readText } from '../../lib/http/parse.ts'
import { loggable, placeOf } from '../../lib/http/place.ts'
import type { SealedAccount } from '../../lib/processors/account.ts'
import { processorFor } from '../../lib/processors/client.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { ForgedEvent, MalformedEvent } from '../../lib/processors/event.ts'
import { PATH, Params, words } from './contract.ts'
import { forgedAccount, rememberForged } from './forged-accounts.ts'
import { handleEvent, type RequestContext } from './handle-event.ts'
import { handleNotice } from './handle-notice.ts'

/** Larger than any event that a processor sends, in bytes. */
const EVENT_LIMIT = 1024 * 1024

/** What read_account gives. */
type ReadAccountResult = { verdict: 'unknown_paywall' } | ({ verdict: 'found' } & ReadAccount)
interface ReadAccount {
  account: SealedAccount
  now: string
  /** Whether its processor asks for some time without calls. */
  held: boolean
}

const app = createApp<Cloudflare.ProcessorWebhookEnv>()

app.post(PATH, async (c) => {
  const path = Params.safeParse(c.req.param())
  if (!path.success) throw refuse(words.unknown_processor)
  const { acquiring } = path.data

  const place = placeOf(c)
  if (!loggable(place.paywallId)) throw refuse(words.unknown_paywall)
  const rawBody = await readText(c.req.raw, EVENT_LIMIT)
  const inbound = { headers: c.req.raw.headers, rawBody, now: new Date() }
  try {
    const { webhook } = DEFINITIONS[acquiring]
    const notice = webhook.readNotice?.({ ...inbound, address: new URL(c.req.url) })
    if (notice) {
      const context = {
        db: connect(c.env),
        env: c.env,
        waitUntil: (work: Promise<unknown>) => c.executionCtx.waitUntil(work),
      }
      await handleNotice(context, { paywallId: place.paywallId, acquiring }, notice)
      return c.json({ received: true })
    }
    if (!webhook.couldBeSigned(inbound.headers, inbound.now)) throw refuse(words.forged)
    const address = JSON.stringify([acquiring, place])
    const suspected = forgedAccount(address)
    using proving = suspected && processorFor(suspected, c.env)
    const proven = await proving?.readEvent(inbound)
    const db = connect(c.env)
    const row = await readAccount<ReadAccountResult>(db, { acquiring, ...place })
    if (row.verdict !== 'found') throw refuse(words[row.verdict])

    // Credentials are opened once: what has proven the event goes on, unless the account was changed meanwhile.
    const context: RequestContext = { db, env: c.env, waitUntil: (work) => c.executionCtx.waitUntil(work) }
    const read = { paywallId: row.account.paywallId, fetchedAt: row.now, isHeld: row.held }
    if (proving && proven && isSame(suspected, row.account)) {
      await handleEvent(context, proving, proven, read)
    } else {
      using processor = processorFor(row.account, c.env)
      const event = await processor.readEvent(inbound).catch((error: unknown) => {
        if (error instanceof ForgedEvent) rememberForged(address, row.account)
        throw error
      })
      await handleEvent(context, processor, event, read)
    }
    return c.json({ received: true })
  } catch (error) {
    if (error instanceof ForgedEvent) throw new ApiError(...words.forged, { cause: error })
    if (error instanceof MalformedEvent) {
      log('warn', 'a signed event is malformed', { request_id: c.get('requestId'), cause: error })
      throw new ApiError(...words.malformed, { cause: error })
    }
    throw error
  }
})

app.all(PATH, allowOnly('POST'))

const isSame = (one: SealedAccount | null, other: SealedAccount) => JSON.stringify(one) === JSON.stringify(other)

export default app
