// From a claim to a hosted page:
// 1. choose the price that this buyer pays
// 2. ask the processor, under a key of the checkout and the attempt: after a crash it gives the same page again. If the call
//    fails, give the claim up, so that the next call need not wait for the end of the lease
// 3. record the page, which only the holder of the claim can
// 4. after the response, close the buyer's page before this one, since both could be paid; once it is closed, nobody need look
//    whether it was
import { forgetPage, giveUpCheckout, recordCheckout } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { localPriceFor } from '../../lib/geo/targeting.ts'
import { log } from '../../lib/http/log.ts'
import { type Processor, type ProcessorEnv, processorFor } from '../../lib/processors/client.ts'
import { type HostedCheckout, ProcessorError } from '../../lib/processors/processor.ts'
import type { CheckoutReply, ClaimedCheckout, Price } from './claimed-checkout.ts'

/**
 * Opens the claimed checkout at its processor and records it. Null if another attempt has taken the claim over meanwhile:
 * claim again, to learn what came of it. `later` is given the work that the response does not wait for.
 *
 * @throws ProcessorError
 */
export async function openCheckout(
  db: Database,
  env: ProcessorEnv,
  holder: string,
  checkout: ClaimedCheckout,
  later: (work: Promise<unknown>) => void,
): Promise<CheckoutReply | null> {
  const price = priceOf(checkout)
  const processor = processorFor(checkout.account, env)
  const hosted = await ask(processor, checkout, price).catch(async (error) => {
    await giveUp(db, holder, checkout, error)
    throw error
  })
  const { recorded, superseded } = await recordCheckout<RecordResult>(db, {
    ...claimOf(checkout, holder),
    checkoutId: checkout.id,
    ...hosted,
    currency: price.currency,
    amount: price.amount,
    processorPrice: price.processor_price,
  })
  if (!recorded) return null
  if (superseded) later(close(db, processor, checkout, superseded))
  return { checkoutUrl: hosted.url, userId: checkout.user_id, acquiring: processor.acquiring }
}

/** What record_checkout gives. `superseded` is `<acquiring>:<id>` of the buyer's hosted page before this one. */
type RecordResult = { recorded: boolean; superseded: string | null }

/** What a claim is known by, with the attempt that holds it. */
const claimOf = ({ paywall_id: paywallId, caller, key }: ClaimedCheckout, holder: string) => ({
  paywallId,
  caller,
  key,
  holder,
})

/** Opens the page at the processor. */
function ask(processor: Processor, checkout: ClaimedCheckout, price: Price): Promise<HostedCheckout> {
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

/** Gives the claim up. If that fails, it ends with its lease: the caller is told what the processor said all the same. */
async function giveUp(db: Database, holder: string, checkout: ClaimedCheckout, error: unknown): Promise<void> {
  const answered = error instanceof ProcessorError && error.answered
  try {
    await giveUpCheckout(db, { ...claimOf(checkout, holder), answered })
  } catch (cause) {
    log('error', 'the claim of a failed checkout is not given up', { checkout_id: checkout.id, cause })
  }
}

/**
 * The price of the country that the buyer is in, as bootstrap shows it there. Of an owner that names no country, the local
 * price in the currency that it asks for, if there is one.
 */
function priceOf({ price, geo, country, local_currency: currency }: ClaimedCheckout): Price {
  const local = country
    ? localPriceFor(price.locals, geo, country)
    : price.currency === currency
      ? null
      : price.locals.find((each) => each.currency === currency)
  return local ?? price
}

/** Closes the buyer's page before this one, since both could be paid. If that fails, it stays open and is logged. */
async function close(
  db: Database,
  processor: Processor,
  { paywall_id: paywallId, user_id: userId }: ClaimedCheckout,
  page: string,
): Promise<void> {
  const [acquiring, pageId] = page.split(/:(.*)/s)
  if (acquiring !== processor.acquiring || !pageId) return
  try {
    const isClosed = await processor.closeCheckout(pageId)
    if (isClosed) await forgetPage(db, { paywallId, userId, acquiring, pageId })
  } catch (cause) {
    log('warn', 'a superseded checkout stays open', { cause })
  }
}
