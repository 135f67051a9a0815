import type { State } from '../state.ts'
import { type AccountContext, accountRecord } from './context.ts'
import type { Due } from './dues.ts'
import type { Records } from './records.ts'

interface Parts {
  state: State<Records>
  /** A context of an account, at the account's time. */
  open: (accountId: string) => AccountContext
  listDues: (context: AccountContext) => Due[]
  /** Notes that something has changed. */
  changed: () => void
  webhooks: {
    /** The next attempts of what was not accepted. */
    retriesOf: (accountId: string) => { at: number; run: () => Promise<void> }[]
    /** Resolves once no attempt is under way. */
    idle: () => Promise<void>
  }
}

/**
 * The clocks of an emulator: each account has its own, which goes with the real time, some way ahead of it. Moving one
 * makes happen what falls due until then, in order, webhooks' retries included; other accounts do not notice.
 */
export function createClock({ state, open, listDues, webhooks, changed }: Parts) {
  const earliest = <Item extends { at: number }>(items: Item[]) =>
    items.reduce<Item | null>((first, item) => (first === null || item.at < first.at ? item : first), null)

  function nextOf(accountId: string) {
    const context = open(accountId)
    const dues = listDues(context).map(({ at, run }) => ({ at, run: async () => void run(open(accountId)) }))
    return earliest([...dues, ...webhooks.retriesOf(accountId)])
  }

  const aheadBy = (at: number) => at - Date.now() / 1000

  function setAhead(accountId: string, ahead: number): void {
    const account = accountRecord(state.records, accountId)
    account.ahead = Math.max(account.ahead, ahead)
  }

  return {
    /** When something falls due next; null if nothing does. */
    nextDue: (accountId: string) => nextOf(accountId)?.at ?? null,

    /** Moves an account's clock to a time. Resolves once what happened until then was told, or is to be told later. */
    async moveTo(accountId: string, at: number): Promise<void> {
      // Telling takes a while, in which the clock goes on: else it would be behind the seller's, which was moved before.
      const ahead = aheadBy(at)
      await webhooks.idle()
      for (let next = nextOf(accountId); next !== null && next.at <= at; next = nextOf(accountId)) {
        setAhead(accountId, aheadBy(next.at))
        const run = next.run()
        changed()
        await run
        await webhooks.idle()
      }
      setAhead(accountId, ahead)
      await state.save()
    },

    /** Makes happen what happens by itself in real time. */
    sweep(): void {
      const { pages, payments } = state.records
      const accounts = new Set([...pages.values(), ...payments.values()].map(({ account }) => account))
      for (const account of accounts) {
        const context = open(account)
        for (const { at, byItself, run } of listDues(context)) if (byItself && at <= context.now) run(context)
      }
    },
  }
}
