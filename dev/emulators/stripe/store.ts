import type { State } from '../core/state.ts'
import { newRecord } from '../core/tables.ts'
import type { Webhooks } from '../core/webhooks.ts'
import type { AccountContext } from './account-context.ts'
import type { Account } from './accounts.ts'
import { previousAttributes } from './changes.ts'
import type { StripeObject } from './emulator.ts'
import { noSuch } from './errors.ts'
import { checkoutSessionObject } from './objects/checkout-session.ts'
import { eventObject } from './objects/event.ts'
import { subscriptionObject } from './objects/subscription.ts'
import type { EventRecord, Records } from './records.ts'

/** The origin of a change that no API call asked for, such as one made on a hosted page. */
const NO_REQUEST: EventRecord['request'] = { id: null, idempotency_key: null }

/** Stripe's names, in its errors, for the records that a control can change. */
const KINDS = { sessions: 'checkout.session', subscriptions: 'subscription', payments: 'payment_intent' } as const

/** Opens contexts on the records, and reads and changes records for the emulator's controls. */
export function createStore(options: {
  state: State<Records>
  accounts: () => Map<string, Account>
  webhooks: Webhooks<EventRecord>
  url: () => string
}) {
  const { state, webhooks } = options
  const { records } = state

  function openContext(account: Account, request = NO_REQUEST): AccountContext {
    const context: AccountContext = {
      account,
      records,
      url: options.url(),
      now: Math.floor(Date.now() / 1000),
      emit(type, object, before) {
        const previous = before ? previousAttributes(before, object) : null
        webhooks.send({
          ...newRecord(context, 'evt_'),
          type,
          object: structuredClone({ ...object }),
          previous,
          request,
        })
      },
    }
    return context
  }

  /** The context of the account that a record belongs to, even if no paywall uses that account any more. */
  const contextOf = ({ account }: { account: string }): AccountContext =>
    openContext(options.accounts().get(account) ?? { id: account, paywalls: [] })

  /** Changes a record, or what belongs to it, and saves. Resolves to the object that `apply` returns. */
  async function change(
    table: keyof typeof KINDS,
    id: string,
    apply: (context: AccountContext) => { id: string },
  ): Promise<StripeObject> {
    const record = records[table].get(id)
    if (!record) throw noSuch(KINDS[table], id)
    const changed = apply(contextOf(record))
    await state.save()
    return { ...changed }
  }

  return {
    openContext,
    contextOf,
    change,
    checkoutSessions: () =>
      [...records.sessions.values()].map((row) => ({ ...checkoutSessionObject(row, options.url()) })),
    subscriptions: () => [...records.subscriptions.values()].map((row) => ({ ...subscriptionObject(row) })),
    events: () => {
      const pending = webhooks.pending()
      return [...records.events.values()].map((row) => eventObject(row, pending.get(row.id)?.length ?? 0))
    },
  }
}
