// Applies the pending events of a purchase or page to one read of it. An event stays pending while the read is older than it; it is read
// again at its next due time.
import { dropEvents } from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { log } from '../../lib/log/log.ts'
import { processorFor } from '../../lib/processors/client.ts'
import type { PurchaseReference } from '../../lib/processors/processor.ts'
import { queuedDeliveries, type SyncResult, type SyncTrigger, storeFetched } from '../../lib/purchases/sync-purchase.ts'
import { wakeRead } from '../../lib/purchases/wake-read.ts'
import type { DueEvents, PendingEvent } from './due-reference.ts'

/** Returns how many deliveries were queued. */
export async function readPending(db: Database, env: Cloudflare.ReconcileEnv, read: DueEvents): Promise<number> {
  const waiting = new Set(read.events)
  try {
    return await applyToRead(db, env, read, (event) => waiting.delete(event))
  } finally {
    for (const { id, is_last: isLast } of waiting) {
      if (isLast) log('error', 'pending event given up', { paywall_id: read.paywall_id, event_id: id })
    }
    const { acquiring, paywallId } = read.account
    const { kind, id: processorId } = read.about
    if (waiting.size > 0 && read.wait !== null)
      await wakeRead(env, { paywallId, acquiring, kind, processorId }, read.wait)
  }
}

async function applyToRead(
  db: Database,
  env: Cloudflare.ReconcileEnv,
  read: DueEvents,
  finish: (event: PendingEvent) => void,
): Promise<number> {
  const { paywallId, acquiring } = read.account
  const about = toReference(read)
  using processor = processorFor(read.account, env)
  const fetched = await processor.fetchPurchase(about)
  const dropped: PendingEvent[] = []
  let queued = 0
  for (const event of read.events) {
    const context = { db, env }
    const { stored, isOutdated, isUnfinished } = await storeFetched(
      context,
      processor,
      about,
      fetched,
      triggerFor(read, event),
    )
    queued += queuedDeliveries(stored)
    // What remains to be done at the processor keeps the notice: a signed event is recorded, and not needed for that.
    if (isOutdated || (isUnfinished && event.is_notice)) continue
    if (event.is_notice || !isNoted(stored)) dropped.push(event)
    finish(event)
  }
  if (dropped.length > 0) {
    await dropEvents(db, { paywallId, acquiring, eventIds: dropped.map(({ id }) => id), readAt: read.taken_at })
    const events = dropped.filter((event) => !event.is_notice).length
    const fields = { paywall_id: paywallId, events }
    if (events > 0) log('info', 'pending events dropped: not a sale of this paywall', fields)
  }
  return queued
}

/** Whether the event was recorded for ever as processed. One of a second trial is not, nor one that concerns nothing of ours. */
function isNoted(stored: SyncResult['stored']): boolean {
  switch (stored?.verdict) {
    case 'stored':
    case 'repeated':
    case 'never_bought':
    case 'outdated':
      return true
    case 'second_trial':
    case 'unknown_checkout':
    case undefined:
      return false
  }
}

function toReference({ about: { kind, id, sold_to: soldTo } }: DueEvents): PurchaseReference {
  return kind === 'page' || soldTo === null ? { kind, id } : { kind, id, soldTo }
}

function triggerFor({ account, taken_at: fetchedAt }: DueEvents, event: PendingEvent): SyncTrigger {
  const { versions, trial_ending: trialEnding, may_miss: mayMiss, payment } = event
  const eventId = event.is_notice ? null : event.id
  return {
    paywallId: account.paywallId,
    eventId,
    fetchedAt,
    versions,
    trialEnding,
    mayMiss,
    payment: payment && { ...payment, occurredAt: new Date(payment.occurred_at) },
  }
}
