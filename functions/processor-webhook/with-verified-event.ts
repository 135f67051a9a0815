// From an inbound webhook to a verified event. Anybody may send one, and its secret is per paywall, so each forgery would cost a read of
// the account. An account that was read for a forgery is therefore cached and verifies the next webhooks (forged-accounts.ts): in a
// flood, the database is queried only for genuine ones.
import { readAccount, recordHold } from '../../generated/calls.ts'
import { apiError } from '../../lib/http/errors.ts'
import type { PaywallTarget } from '../../lib/http/paywall-target.ts'
import type { SealedAccount } from '../../lib/processors/account.ts'
import { type Processor, processorFor } from '../../lib/processors/client.ts'
import { InvalidSignature, type ProcessorEvent, type WebhookRequest } from '../../lib/processors/event.ts'
import { ProcessorError } from '../../lib/processors/processor.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { withTimeout } from '../../lib/processors/with-timeout.ts'
import { errors } from './contract.ts'
import { forgedAccount, rememberForged } from './forged-accounts.ts'
import { type AccountRead, READ_MS, type RequestContext } from './handle-event.ts'

type ReadAccountResult =
  | { verdict: 'unknown_paywall' }
  | { verdict: 'found'; account: SealedAccount; now: string; hold: number | null }

type Handle = (processor: Processor, event: ProcessorEvent, read: AccountRead) => Promise<void>

/**
 * Calls `handle` with the verified event.
 *
 * @throws ApiError `unknown_paywall`, InvalidSignature, MalformedEvent, ProcessorError
 */
export async function withVerifiedEvent(
  { db, env }: RequestContext,
  target: PaywallTarget & { acquiring: ProcessorName },
  request: WebhookRequest,
  handle: Handle,
): Promise<void> {
  const { acquiring } = target
  const address = JSON.stringify(target)
  const cachedAccount = forgedAccount(address)
  using verifier = cachedAccount && processorFor(cachedAccount, env)
  const verifiedEvent = verifier && (await readWithoutCall(verifier, request))

  const row = await readAccount<ReadAccountResult>(db, { ...target })
  if (row.verdict !== 'found') throw apiError(errors[row.verdict])
  const { paywallId } = row.account
  const read = { paywallId, fetchedAt: row.now, isHeld: row.hold !== null, deadline: Date.now() + READ_MS }
  // The credentials that verified the event are not decrypted again, unless the account has changed.
  if (verifier && verifiedEvent && isSameAccount(cachedAccount, row.account)) {
    await handle(verifier, verifiedEvent, read)
    return
  }

  using processor = processorFor(row.account, env)
  const event = await withTimeout(acquiring, processor.readEvent(request, row.hold), READ_MS).catch(async (error) => {
    if (error instanceof InvalidSignature) rememberForged(address, row.account)
    if (error instanceof ProcessorError && error.retryAfter !== null && row.hold === null) {
      await recordHold(db, { paywallId, acquiring, hold: error.retryAfter })
    }
    throw error
  })
  await handle(processor, event, read)
}

/** Null if the event must be looked up at the processor: whether that may be called is not known yet. */
async function readWithoutCall(processor: Processor, request: WebhookRequest): Promise<ProcessorEvent | null> {
  try {
    return await processor.readEvent(request, 0)
  } catch (error) {
    if (error instanceof ProcessorError) return null
    throw error
  }
}

const isSameAccount = (one: SealedAccount | null, other: SealedAccount) => JSON.stringify(one) === JSON.stringify(other)
