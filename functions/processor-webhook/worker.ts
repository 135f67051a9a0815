// What processors tell us. Anything but 2xx makes the processor send it again, so a failure loses nothing:
// 1. read the event as it was sent, and refuse what no secret can have signed: anybody may send anything here, so the
//    database is not asked about that, nor about more of what was forged a moment ago (forged-accounts.ts). Then read the
//    paywall's account at that processor
// 2. prove that the processor sent it
// 3. take it as a hint only: fetch the purchase as it is now, and store it (catch-up.ts)
// 4. after the response, wake deliver-events if the owner is to be told
import { readAccount } from '../../generated/calls.ts'
import { connect, type Database } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { ApiError, refuse } from '../../lib/http/errors.ts'
import { log } from '../../lib/http/log.ts'
import { readText } from '../../lib/http/parse.ts'
import { loggable, placeOf } from '../../lib/http/place.ts'
import type { SealedAccount } from '../../lib/processors/account.ts'
import { type Processor, processorFor } from '../../lib/processors/client.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { ForgedEvent, MalformedEvent, type ProcessorEvent } from '../../lib/processors/event.ts'
import { catchUp, queuedBy } from '../../lib/purchases/catch-up.ts'
import { PATH, Params, words } from './contract.ts'
import { forgedAccount, rememberForged } from './forged-accounts.ts'

/** Larger than any event that a processor sends, in bytes. */
const EVENT_LIMIT = 1024 * 1024

/** What read_account gives. */
type ReadAccountResult = { verdict: 'unknown_paywall' } | ({ verdict: 'found' } & ReadAccount)
interface ReadAccount {
  account: SealedAccount
  now: string
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
    if (!DEFINITIONS[acquiring].webhook.couldBeSigned(inbound.headers, inbound.now)) throw refuse(words.forged)
    const address = JSON.stringify([acquiring, place])
    const suspected = forgedAccount(address)
    using proving = suspected && processorFor(suspected, c.env)
    const proven = await proving?.readEvent(inbound)
    const db = connect(c.env)
    const row = await readAccount<ReadAccountResult>(db, { acquiring, ...place })
    if (row.verdict !== 'found') throw refuse(words[row.verdict])

    // Credentials are opened once: what has proven the event goes on, unless the account was changed meanwhile.
    const asking = { db, env: c.env, later: (work: Promise<unknown>) => c.executionCtx.waitUntil(work) }
    if (proving && proven && isSame(suspected, row.account)) {
      await take(asking, proving, proven, row)
    } else {
      using processor = processorFor(row.account, c.env)
      const event = await processor.readEvent(inbound).catch((error: unknown) => {
        if (error instanceof ForgedEvent) rememberForged(address, row.account)
        throw error
      })
      await take(asking, processor, event, row)
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

interface Asking {
  db: Database
  env: Cloudflare.ProcessorWebhookEnv
  /** Is given the work that the response does not wait for. */
  later: (work: Promise<unknown>) => void
}

/** Takes a proven event as a hint. */
async function take(
  { db, env, later }: Asking,
  processor: Processor,
  { id: eventId, about, ...facts }: ProcessorEvent,
  { account: { paywallId }, now: fetchedAt }: ReadAccount,
): Promise<void> {
  if (!about) return
  const { stored } = await catchUp(db, processor, about, { ...facts, paywallId, eventId, fetchedAt })
  if (stored?.verdict === 'unknown_checkout') {
    log('warn', 'a purchase without a checkout of ours', { paywall_id: paywallId })
  }
  if (stored) later(wakeDeliverEvents(env, queuedBy(stored)))
}

const isSame = (one: SealedAccount | null, other: SealedAccount) => JSON.stringify(one) === JSON.stringify(other)

export default app
