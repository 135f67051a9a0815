import { newRecord } from '../core/new-record.ts'
import type { State } from '../core/state.ts'
import type { Webhooks } from '../core/webhooks.ts'
import type { Ledger } from './account-context.ts'
import type { Account } from './accounts.ts'
import type { MollieObject } from './emulator.ts'
import { noSuch } from './errors.ts'
import { eventObject } from './objects/event.ts'
import { paymentObject } from './objects/payment.ts'
import { subscriptionObject } from './objects/subscription.ts'
import type { EventRecord, Records } from './records.ts'

/** Opens ledgers on the records, and reads and changes them on behalf of the emulator's controls. */
export function createBooks(options: {
  state: State<Records>
  accounts: () => Map<string, Account>
  webhooks: Webhooks<EventRecord>
  url: () => string
  slowMandates: () => boolean
}) {
  const { state, webhooks } = options
  const { records } = state

  function openLedger(account: Account): Ledger {
    const ledger: Ledger = {
      account,
      records,
      url: options.url(),
      now: Math.floor(Date.now() / 1000),
      slowMandates: options.slowMandates(),
      emit: (type, entity) =>
        webhooks.send({ ...newRecord(ledger, 'event_'), type, entity: structuredClone({ ...entity }) }),
    }
    return ledger
  }

  /** The ledger of whoever owns a record, even if no paywall uses that account any more. */
  const ledgerOf = ({ account }: { account: string }): Ledger =>
    openLedger(options.accounts().get(account) ?? { id: account, paywalls: [] })

  /** Changes what belongs to a payment or a subscription; gives what `apply` makes of it, as the API gives it. */
  async function change(
    kind: 'payment' | 'subscription',
    id: string,
    apply: (ledger: Ledger) => { id: string },
  ): Promise<MollieObject> {
    const record = records[`${kind}s`].get(id)
    if (!record) throw noSuch(kind, id)
    const changed = apply(ledgerOf(record))
    await state.save()
    return { ...changed }
  }

  return {
    openLedger,
    ledgerOf,
    change,
    payments: () => [...records.payments.values()].map((row) => ({ ...paymentObject(ledgerOf(row), row) })),
    subscriptions: () =>
      [...records.subscriptions.values()].map((row) => ({ ...subscriptionObject(row, options.url()) })),
    events: () => [...records.events.values()].map((row) => eventObject(row, options.url())),
  }
}
