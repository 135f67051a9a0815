// From an inbound webhook to a verified event. Anybody may send one, and its secret is per paywall, so each forgery would cost a read of
// the account. In a flood of forgeries the account read for one of them verifies the next ones (forged-accounts.ts), and the database is
// queried only for genuine webhooks.
import { readAccount } from '../../generated/calls.ts'
import { apiError } from '../../lib/http/errors.ts'
import type { PaywallTarget } from '../../lib/http/paywall-target.ts'
import type { SealedAccount } from '../../lib/processors/account.ts'
import { type Processor, processorFor } from '../../lib/processors/client.ts'
import { ForgedEvent, type Inbound, type ProcessorEvent } from '../../lib/processors/event.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { errors } from './contract.ts'
import { forgedAccount, rememberForged } from './forged-accounts.ts'
import type { AccountRead, RequestContext } from './handle-event.ts'

type ReadAccountResult =
  | { verdict: 'unknown_paywall' }
  | { verdict: 'found'; account: SealedAccount; now: string; held: boolean }

type Handle = (processor: Processor, event: ProcessorEvent, read: AccountRead) => Promise<void>

/**
 * Calls `handle` with the verified event.
 *
 * @throws ApiError `unknown_paywall`, ForgedEvent, MalformedEvent, ProcessorError
 */
export async function withVerifiedEvent(
  { db, env }: RequestContext,
  target: PaywallTarget & { acquiring: ProcessorName },
  inbound: Inbound,
  handle: Handle,
): Promise<void> {
  const address = JSON.stringify(target)
  const cachedAccount = forgedAccount(address)
  using verifier = cachedAccount && processorFor(cachedAccount, env)
  const verifiedEvent = await verifier?.readEvent(inbound)

  const row = await readAccount<ReadAccountResult>(db, { ...target })
  if (row.verdict !== 'found') throw apiError(errors[row.verdict])
  const read = { paywallId: row.account.paywallId, fetchedAt: row.now, isHeld: row.held }
  // The credentials that verified the event are not decrypted again, unless the account has changed.
  if (verifier && verifiedEvent && isSameAccount(cachedAccount, row.account)) {
    await handle(verifier, verifiedEvent, read)
    return
  }

  using processor = processorFor(row.account, env)
  const event = await processor.readEvent(inbound).catch((error: unknown) => {
    if (error instanceof ForgedEvent) rememberForged(address, row.account)
    throw error
  })
  await handle(processor, event, read)
}

const isSameAccount = (one: SealedAccount | null, other: SealedAccount) => JSON.stringify(one) === JSON.stringify(other)
