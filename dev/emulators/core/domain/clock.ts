import type { State } from '../state.ts'
import { type AccountContext, accountRecord } from './context.ts'
import type { Due } from './dues.ts'
import type { Records } from './records.ts'

interface AccountClocksOptions {
  state: State<Records>
  /** Opens a context of an account at the account's time. */
  open: (accountId: string) => AccountContext
  listDues: (context: AccountContext) => Due[]
  /** Called after changes. */
  changed: () => void
  webhooks: {
    /** The retries of webhooks that were not accepted. */
    listRetries: (accountId: string) => { at: number; run: () => Promise<void> }[]
    /** Resolves once no attempt is in progress. */
    idle: () => Promise<void>
  }
}

/** The webhooks of what falls due within this time are delivered together, so that a year with many subscriptions takes less time. */
const TOGETHER_SECONDS = 60

/**
 * The clocks of an emulator: each account has one, which runs at the speed of real time with an offset into the future. Moving it
 * runs everything that falls due on the way in order, including webhook retries; other accounts are not affected.
 */
export function createClock({ state, open, listDues, webhooks, changed }: AccountClocksOptions) {
  const earliest = <Item extends { at: number }>(items: Item[]) =>
    items.reduce<Item | null>((first, item) => (first === null || item.at < first.at ? item : first), null)

  function findNext(accountId: string) {
    const context = open(accountId)
    const dues = listDues(context).map(({ at, run }) => ({ at, run: async () => void run(open(accountId)) }))
    return earliest([...dues, ...webhooks.listRetries(accountId)])
  }

  const aheadBy = (at: number) => at - Date.now() / 1000

  function setAhead(accountId: string, ahead: number): void {
    const account = accountRecord(state.records, accountId)
    account.ahead = Math.max(account.ahead, ahead)
  }

  return {
    /** When something falls due next; null if nothing does. */
    nextDue: (accountId: string) => findNext(accountId)?.at ?? null,

    /** Moves an account's clock to a time. Resolves once the webhooks of everything that happened were sent or scheduled for a retry. */
    async moveTo(accountId: string, at: number): Promise<void> {
      // Sending takes time, during which the clock must run on: otherwise it would lag behind the seller's, which was moved before.
      const ahead = aheadBy(at)
      await webhooks.idle()
      let firstAt = Number.NEGATIVE_INFINITY
      for (let next = findNext(accountId); next !== null && next.at <= at; next = findNext(accountId)) {
        if (next.at > firstAt + TOGETHER_SECONDS) {
          await webhooks.idle()
          firstAt = next.at
        }
        setAhead(accountId, aheadBy(next.at))
        const run = next.run()
        changed()
        await run
      }
      await webhooks.idle()
      setAhead(accountId, ahead)
      await state.save()
    },

    /** Runs the due work that also happens in real time. */
    runRealTimeDues(): void {
      const { pages, payments } = state.records
      const accounts = new Set([...pages.values(), ...payments.values()].map(({ account }) => account))
      for (const account of accounts) {
        const context = open(account)
        for (const { at, inRealTime, run } of listDues(context)) if (inRealTime && at <= context.now) run(context)
      }
    },
  }
}
