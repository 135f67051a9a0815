// From a claim to a hosted page:
// 1. choose the price that this buyer pays
// 2. call the processor, with an idempotency key of checkout and attempt: after a crash it returns the same page. If the call fails, give
//    the claim up, so that the next call need not wait for the lease to expire
// 3. record the page, which only the holder of the claim can
// 4. after the response, close the buyer's other open pages, since each could be paid, too; a closed page need not be polled
import { discardPage, giveUpCheckout, recordCheckout } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { localPriceFor } from '../../lib/geo/targeting.ts'
import { apiError } from '../../lib/http/errors.ts'
import { log } from '../../lib/log/log.ts'
import type { SealedAccount } from '../../lib/processors/account.ts'
import { type Processor, type ProcessorEnv, processorFor } from '../../lib/processors/client.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { type HostedCheckout, orderDiscount, ProcessorError } from '../../lib/processors/processor.ts'
import type { CheckoutReply, ClaimedCheckout, Price } from './claimed-checkout.ts'
import { errors } from './contract.ts'

/**
 * Opens the claimed checkout at its processor and records it. Null if another attempt has taken the claim over meanwhile: claim again to
 * learn its result. `later` receives the work that continues after the response.
 *
 * @throws ProcessorError, ApiError 400 where the processor needs an e-mail address and there is none
 */
export async function openCheckout(
  db: Database,
  env: ProcessorEnv,
  holder: string,
  checkout: ClaimedCheckout,
  later: (work: Promise<unknown>) => void,
): Promise<CheckoutReply | null> {
  const claim = { db, holder, checkout, later }
  if (checkout.email === null && !DEFINITIONS[checkout.account.acquiring].capabilities.sellsToAnonymous) {
    await giveUp(claim, true)
    throw apiError(errors.missing_email, { message: 'Sign in with an email address to buy here' })
  }
  const price = toOrderPrice(checkout)
  const processor = processorFor(checkout.account, env)
  const hosted = await requestPage(processor, checkout, price).catch(async (error) => {
    await giveUp(claim, error instanceof ProcessorError && error.answered)
    throw error
  })
  const { recorded, superseded } = await recordCheckout<RecordResult>(db, {
    ...claimParameters(checkout, holder),
    checkoutId: checkout.id,
    pageId: hosted.pageId,
    url: hosted.url,
    expiresAt: hosted.expiresAt?.toISOString() ?? null,
    currency: price.currency,
    amount: price.amount,
    processorPrice: price.processor_price,
  }).catch(async (error) => {
    await giveUp(claim, false) // it may have been recorded nevertheless: then a replay finds it, whoever holds the claim
    throw error
  })
  if (!recorded) return null
  for (const page of superseded) later(close(db, env, checkout, page))
  return { checkoutUrl: hosted.url, userId: checkout.user_id, acquiring: processor.acquiring }
}

/** A hosted page of the buyer's, and the processor account that opened it. */
interface OpenPage {
  account: SealedAccount
  page_id: string
}

/** The result of record_checkout. `superseded` are the buyer's other pages that are still open. */
type RecordResult = { recorded: boolean; superseded: OpenPage[] }

/** The claim's key, with the attempt that holds it. */
const claimParameters = ({ paywall_id: paywallId, caller, key }: ClaimedCheckout, holder: string) => ({
  paywallId,
  caller,
  key,
  holder,
})

/** Opens the page at the processor. */
function requestPage(processor: Processor, checkout: ClaimedCheckout, price: Price): Promise<HostedCheckout> {
  const back = `${checkout.return_origin}/r/${checkout.id}`
  return processor.openCheckout({
    key: `${checkout.id}:${checkout.attempt}`,
    checkoutId: checkout.id,
    paywallId: checkout.paywall_id,
    userId: checkout.user_id,
    email: checkout.email,
    customer: checkout.customer,
    customers: checkout.customers,
    processorPrice: price.processor_price,
    currency: price.currency,
    amount: price.amount,
    quantity: checkout.quantity,
    recurring: checkout.price.recurring,
    trialDays: checkout.trial_days,
    options: checkout.options,
    ...(checkout.offer && orderDiscount(checkout.offer, price.amount * checkout.quantity)),
    successUrl: `${back}/success`,
    errorUrl: `${back}/error`,
  })
}

/** Backoff between retries to give a claim up, in milliseconds. The total is shorter than what may run after a response. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000, 8_000]

interface HeldClaim {
  db: Database
  holder: string
  checkout: ClaimedCheckout
  later: (work: Promise<unknown>) => void
}

/**
 * Gives the claim up, so that no call waits for its lease to expire. The caller gets the processor's error in any case: if the database
 * fails now, this is retried after the response. An attempt that has taken the claim over meanwhile keeps it. `answered`: the
 * processor has refused to open a page, or was not called.
 */
async function giveUp({ db, holder, checkout, later }: HeldClaim, answered: boolean): Promise<void> {
  const give = () => giveUpCheckout(db, { ...claimParameters(checkout, holder), answered })
  await give().catch((cause) => later(giveUpLater(give, checkout, cause)))
}

async function giveUpLater(give: () => Promise<unknown>, { id }: ClaimedCheckout, firstCause: unknown): Promise<void> {
  log('warn', 'claim of a failed checkout not given up yet', { checkout_id: id, cause: firstCause })
  let cause = firstCause
  for (const pause of PAUSES_MS) {
    await scheduler.wait(pause)
    try {
      await give()
      return
    } catch (error) {
      cause = error
    }
  }
  log('error', 'claim of a failed checkout not given up', { checkout_id: id, cause })
}

/**
 * The price for the buyer's country, as bootstrap shows it there. If an owner sends no country, the local price in the requested currency,
 * if there is one.
 */
function toOrderPrice({ price, geo, country, local_currency: currency }: ClaimedCheckout): Price {
  const local = country
    ? localPriceFor(price.locals, geo, country)
    : price.currency === currency
      ? null
      : price.locals.find((each) => each.currency === currency)
  return local ?? price
}

/** Closes a page of the buyer's, if its processor can. If that fails, the page stays open: the buyer's next page retries. */
async function close(
  db: Database,
  env: ProcessorEnv,
  { paywall_id: paywallId, user_id: userId }: ClaimedCheckout,
  { account, page_id: pageId }: OpenPage,
): Promise<void> {
  const { acquiring } = account
  try {
    using processor = processorFor(account, env)
    const isClosed = await processor.closeCheckout(pageId)
    if (isClosed) await discardPage(db, { paywallId, userId, acquiring, pageId })
  } catch (cause) {
    log('warn', 'superseded checkout not closed', { paywall_id: paywallId, acquiring, cause })
  }
}
