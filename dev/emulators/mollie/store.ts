import type { State } from '../core/state.ts'
import { newRecord } from '../core/tables.ts'
import type { Webhooks } from '../core/webhooks.ts'
import type { AccountContext } from './account-context.ts'
import type { Account } from './accounts.ts'
import type { MollieObject } from './emulator.ts'
import { noSuch } from './errors.ts'
import { eventObject } from './objects/event.ts'
import { paymentObject } from './objects/payment.ts'
import { subscriptionObject } from './objects/subscription.ts'
import type { EventRecord, Records } from './records.ts'

/** Opens contexts on the records, and reads and changes records for the emulator's controls. */
export function createStore(options: {
  state: State<Records>
  accounts: () => Map<string, Account>
  webhooks: Webhooks<EventRecord>
  url: () => string
  slowMandates: () => boolean
}) {
  const { state, webhooks } = options
  const { records } = state

  function openContext(account: Account): AccountContext {
    const context: AccountContext = {
      account,
      records,
      url: options.url(),
      now: Math.floor(Date.now() / 1000),
      slowMandates: options.slowMandates(),
      emit: (type, entity) =>
        webhooks.send({ ...newRecord(context, 'event_'), type, entity: structuredClone({ ...entity }) }),
    }
    return context
  }

  /** The context of the account that a record belongs to, even if no paywall uses that account any more. */
  const contextOf = ({ account }: { account: string }): AccountContext =>
    openContext(options.accounts().get(account) ?? { id: account, paywalls: [] })

  /** Changes a record, or what belongs to it, and saves. Resolves to the object that `apply` returns. */
  async function change(
    kind: 'payment' | 'subscription',
    id: string,
    apply: (context: AccountContext) => { id: string },
  ): Promise<MollieObject> {
    const record = records[`${kind}s`].get(id)
    if (!record) throw noSuch(kind, id)
    const changed = apply(contextOf(record))
    await state.save()
    return { ...changed }
  }

  return {
    openContext,
    contextOf,
    change,
    payments: () => [...records.payments.values()].map((row) => ({ ...paymentObject(contextOf(row), row) })),
    subscriptions: () =>
      [...records.subscriptions.values()].map((row) => ({ ...subscriptionObject(row, options.url()) })),
    events: () => [...records.events.values()].map((row) => eventObject(row, options.url())),
  }
}
