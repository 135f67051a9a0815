import { newRecord } from '../core/new-record.ts'
import type { State } from '../core/state.ts'
import type { Webhooks } from '../core/webhooks.ts'
import type { Ledger } from './account-context.ts'
import type { Account } from './accounts.ts'
import { previousAttributes } from './changes.ts'
import type { StripeObject } from './emulator.ts'
import { noSuch } from './errors.ts'
import { eventObject } from './objects/event.ts'
import { sessionObject } from './objects/session.ts'
import { subscriptionObject } from './objects/subscription.ts'
import type { EventRecord, Records, SessionRecord, SubscriptionRecord } from './records.ts'

/** Where a change that no API call asked for comes from. */
const NO_REQUEST: EventRecord['request'] = { id: null, idempotency_key: null }

/** Opens ledgers on the records, and reads and changes them on behalf of the emulator's controls. */
export function createBooks(options: {
  state: State<Records>
  accounts: () => Map<string, Account>
  webhooks: Webhooks<EventRecord>
  url: () => string
}) {
  const { state, webhooks } = options
  const { records } = state

  function openLedger(account: Account, request = NO_REQUEST): Ledger {
    const ledger: Ledger = {
      account,
      records,
      url: options.url(),
      now: Math.floor(Date.now() / 1000),
      emit(type, object, before) {
        const previous = before ? previousAttributes(before, object) : null
        webhooks.send({ ...newRecord(ledger, 'evt_'), type, object: structuredClone({ ...object }), previous, request })
      },
    }
    return ledger
  }

  /** The ledger of whoever owns a record, even if no paywall uses that account any more. */
  const ledgerOf = ({ account }: { account: string }): Ledger =>
    openLedger(options.accounts().get(account) ?? { id: account, paywalls: [] })

  async function changeSubscription(id: string, apply: (ledger: Ledger) => SubscriptionRecord): Promise<StripeObject> {
    const record = records.subscriptions.get(id)
    if (!record) throw noSuch('subscription', id)
    const changed = subscriptionObject(apply(ledgerOf(record)))
    await state.save()
    return { ...changed }
  }

  async function changeSession(id: string, apply: (ledger: Ledger) => SessionRecord): Promise<StripeObject> {
    const record = records.sessions.get(id)
    if (!record) throw noSuch('checkout.session', id)
    const changed = sessionObject(apply(ledgerOf(record)), options.url())
    await state.save()
    return { ...changed }
  }

  async function changePayment(id: string, apply: (ledger: Ledger) => { id: string }): Promise<StripeObject> {
    const record = records.payments.get(id)
    if (!record) throw noSuch('payment_intent', id)
    const result = apply(ledgerOf(record))
    await state.save()
    return { ...result }
  }

  return {
    openLedger,
    ledgerOf,
    changeSession,
    changeSubscription,
    changePayment,
    sessions: () => [...records.sessions.values()].map((row) => ({ ...sessionObject(row, options.url()) })),
    subscriptions: () => [...records.subscriptions.values()].map((row) => ({ ...subscriptionObject(row) })),
    events: () => {
      const pending = webhooks.pending()
      return [...records.events.values()].map((row) => eventObject(row, pending.get(row.id)?.length ?? 0))
    },
  }
}
