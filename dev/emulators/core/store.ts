import type { Account, AnyPaywall } from './domain/accounts.ts'
import type { AccountContext, Cause, Named } from './domain/context.ts'
import { newRecord } from './domain/context.ts'
import type { DomainEvent, NewEvent } from './domain/domain-events.ts'
import type { EventRecord, Records, Row, Table, Tables } from './domain/records.ts'
import type { State } from './state.ts'
import { countPending } from './webhooks/deliveries.ts'
import { EmulatorError } from './wire/emulator-error.ts'
import type { Views } from './wire/views.ts'

interface StoreOptions {
  state: State<Records>
  accounts: () => ReadonlyMap<string, Account<AnyPaywall>>
  url: () => string
  isOn: (name: string) => boolean
  send: (event: EventRecord) => void
  /** The records of an account's replica. */
  readReplica: (context: AccountContext) => Records
  /** Applies the account's settings to an event's object. */
  asSent: (context: AccountContext, shown: object) => object
  processor: {
    newId(kind: Table): string
    views: Views
    noSuch(table: Named, id: string, param?: string): Error
    refuse(message: string): Error
    webhookFormat: {
      toEvents(domainEvent: DomainEvent, context: AccountContext): NewEvent[]
      eventObject(event: EventRecord, about: { url: string; pending: number }): { id: string }
    }
  }
}

export type Store = ReturnType<typeof createStore>

/** Creates contexts for the records, and changes records for pages and controls. */
export function createStore({ state, accounts, url, isOn, send, readReplica, asSent, processor }: StoreOptions) {
  const { records } = state

  function openContext(account: Account<AnyPaywall>, cause: Cause | null = null): AccountContext {
    const context: AccountContext = {
      account,
      records,
      url: url(),
      now: Math.floor(Date.now() / 1000 + (records.accounts.get(account.id)?.ahead ?? 0)),
      cause,
      isOn,
      newId: processor.newId,
      noSuch: processor.noSuch,
      refuse: processor.refuse,
      show: (table, record) => show(table, record, context),
      replica() {
        const replica: AccountContext = {
          ...context,
          records: readReplica(context),
          show: (table, record) => show(table, record, replica),
        }
        return replica
      },
      emit(domainEvent) {
        for (const { type, object, own = {} } of processor.webhookFormat.toEvents(domainEvent, context)) {
          const shown = asSent(context, structuredClone({ ...object }))
          send({ ...newRecord(context, 'events'), type, object: { ...shown }, own, outcomes: {} })
        }
      },
    }
    return context
  }

  const views: Views = {
    events: (event, { url }) =>
      processor.webhookFormat.eventObject(event, { url, pending: countPending(records, event) }),
    ...processor.views,
  }

  function show<Name extends Table>(table: Name, record: Row<Name>, context: AccountContext): { id: string } {
    const view: Views[Name] = views[table]
    if (!view) throw new Error(`the processor does not show its ${table}`)
    return view(record, context)
  }

  /** All records of a table as the processor's API shows them now. */
  function showAll<Name extends Table>(table: Name): { id: string }[] {
    const tables: Tables = records
    return [...tables[table].values()].map((row) => show(table, row, contextFor(row.account)))
  }

  /** The context of an account, even if no paywall uses it any longer. Its paywalls are read lazily. */
  const contextFor = (id: string) =>
    openContext({
      id,
      get paywalls() {
        return accounts().get(id)?.paywalls ?? []
      },
    })

  /** Changes a record and what belongs to it, and saves. Resolves to the result of `apply`. */
  async function change<Name extends Table>(
    table: Name,
    id: string,
    apply: (context: AccountContext, record: Row<Name>) => { id: string },
  ): Promise<{ id: string } & Record<string, unknown>> {
    const tables: Tables = records
    const record = tables[table].get(id)
    if (!record) throw processor.noSuch(table, id)
    const changed = apply(contextFor(record.account), record)
    await state.save()
    return { ...changed }
  }

  const findAccount = (paywallId: string) =>
    [...accounts().values()].find(({ paywalls }) => paywalls.some((one) => one.paywallId === paywallId))

  const paywallsSharingAccount = (paywallId: string) =>
    findAccount(paywallId)?.paywalls.map((one) => one.paywallId) ?? []

  /** The id of the account that a paywall sells through. */
  function getAccount(paywallId: string): string {
    const found = findAccount(paywallId)
    if (!found) throw new EmulatorError(404, `No paywall ${paywallId} sells through this processor.`)
    return found.id
  }

  return { state, openContext, contextFor, getAccount, paywallsSharingAccount, change, showAll }
}
