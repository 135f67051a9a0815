// From a claim to a hosted page:
// 1. choose the price that this buyer pays
// 2. ask the processor, under a key of the checkout and the attempt: after a crash it gives the same page again. If the call
//    fails, give the claim up, so that the next call need not wait for the end of the lease
// 3. record the page, which only the holder of the claim can
// 4. after the response, close the buyer's other open pages, since each could be paid, too; once one is closed, nobody need look
//    whether it was
import { discardPage, giveUpCheckout, recordCheckout } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { localPriceFor } from '../../lib/geo/targeting.ts'
import { apiError } from '../../lib/http/errors.ts'
import { log } from '../../lib/log/log.ts'
import type { SealedAccount } from '../../lib/processors/account.ts'
import { type Processor, type ProcessorEnv, processorFor } from '../../lib/processors/client.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { type HostedCheckout, ProcessorError } from '../../lib/processors/processor.ts'
import type { CheckoutReply, ClaimedCheckout, Price } from './claimed-checkout.ts'
import { errors } from './contract.ts'

/**
 * Opens the claimed checkout at its processor and records it. Null if another attempt has taken the claim over meanwhile:
 * claim again, to learn what came of it. `later` is given the work that the response does not wait for.
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
    await giveUp(claim, null)
    throw apiError(errors.missing_email, { message: 'Sign in with an email address to buy here' })
  }
  const price = toOrderPrice(checkout)
  const processor = processorFor(checkout.account, env)
  const hosted = await requestPage(processor, checkout, price).catch(async (error) => {
    await giveUp(claim, error)
    throw error
  })
  const { recorded, superseded } = await recordCheckout<RecordResult>(db, {
    ...claimParameters(checkout, holder),
    checkoutId: checkout.id,
    ...hosted,
    currency: price.currency,
    amount: price.amount,
    processorPrice: price.processor_price,
  }).catch(async (error) => {
    await giveUp(claim, null) // it may be recorded all the same: then a replay finds it, whoever holds the claim
    throw error
  })
  if (!recorded) return null
  for (const page of superseded) later(close(db, env, checkout, page))
  return { checkoutUrl: hosted.url, userId: checkout.user_id, acquiring: processor.acquiring }
}

/** A hosted page of the buyer's, and the account at the processor that opened it. */
interface OpenPage {
  account: SealedAccount
  page_id: string
}

/** What record_checkout returns. `superseded` are the buyer's other pages that are still open. */
type RecordResult = { recorded: boolean; superseded: OpenPage[] }

/** What a claim is known by, with the attempt that holds it. */
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
    recurring: checkout.price.recurring,
    trialDays: checkout.trial_days,
    successUrl: `${back}/success`,
    errorUrl: `${back}/error`,
  })
}

/** Between two tries to give a claim up, in milliseconds. Together shorter than what may be done after a response. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000, 8_000]

interface HeldClaim {
  db: Database
  holder: string
  checkout: ClaimedCheckout
  later: (work: Promise<unknown>) => void
}

/**
 * Gives the claim up, so that nobody waits for the end of its lease. The caller gets what the processor answered in any case: if the
 * database refuses now, it is tried again after the response. Whoever has taken the claim over meanwhile keeps it.
 */
async function giveUp({ db, holder, checkout, later }: HeldClaim, error: unknown): Promise<void> {
  const answered = error instanceof ProcessorError && error.answered
  const give = () => giveUpCheckout(db, { ...claimParameters(checkout, holder), answered })
  await give().catch((cause) => later(giveUpLater(give, checkout, cause)))
}

async function giveUpLater(give: () => Promise<unknown>, { id }: ClaimedCheckout, firstCause: unknown): Promise<void> {
  log('warn', 'the claim of a failed checkout is to be given up later', { checkout_id: id, cause: firstCause })
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
  log('error', 'the claim of a failed checkout is not given up', { checkout_id: id, cause })
}

/**
 * The price of the country that the buyer is in, as bootstrap shows it there. Of an owner that names no country, the local
 * price in the currency that it asks for, if there is one.
 */
function toOrderPrice({ price, geo, country, local_currency: currency }: ClaimedCheckout): Price {
  const local = country
    ? localPriceFor(price.locals, geo, country)
    : price.currency === currency
      ? null
      : price.locals.find((each) => each.currency === currency)
  return local ?? price
}

/** Closes a page of the buyer's, if its processor can. If that fails, the page stays open: the buyer's next page tries again. */
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
    log('warn', 'a superseded checkout stays open', { paywall_id: paywallId, acquiring, cause })
  }
}
