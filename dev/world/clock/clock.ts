import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { CommandError } from '../../../cli/command.ts'
import { DEFINITIONS } from '../../../lib/processors/definitions.ts'
import type { Emulators } from '../../emulators/emulators.ts'
import type { Crons } from '../workers/crons.ts'
import { secondsOf } from './duration.ts'
import { movePaywallClock, type PaywallClock, readPaywallClock } from './paywall-clock.ts'

/** The clocks of test paywalls. Each goes with the real time, some way ahead of it, and so does its emulated account. */
export interface Clock {
  /** A paywall's time. Throws a `CommandError` if there is no such paywall. */
  now(paywallId: string): Promise<Date>
  /**
   * Moves a paywall's clock by a span such as `31d`, and that of its emulated accounts. What falls due meanwhile happens, each at
   * its time: renewals, ends of trials and periods, refunds, repeated webhooks, looks of the reconcile cron, attempts to deliver.
   * Resolves to the paywall's time once nothing more is due. Throws a `CommandError` for what cannot be done.
   */
  advance(paywallId: string, by: string): Promise<Date>
  /** The same, to a time. The clock of a paywall that has it already stays. */
  moveTo(paywallId: string, at: Date): Promise<Date>
  /** Resolves once nothing of a paywall is due or under way at its present time. */
  catchUp(paywallId: string): Promise<void>
}

interface Parts {
  database: pg.Pool
  emulators: Emulators
  crons: Crons
}

/** Longer than an attempt to deliver may take, with a few more behind it. */
const QUIET_MS = 60_000
const LOOK_AGAIN_MS = 10

export function createClock({ database, emulators, crons }: Parts): Clock {
  const turns = new Map<string, Promise<unknown>>()

  async function read(paywallId: string): Promise<PaywallClock> {
    const clock = await readPaywallClock(database, paywallId)
    if (!clock) throw new CommandError([`there is no paywall ${paywallId}`])
    return clock
  }

  async function advance(paywallId: string, by: string): Promise<Date> {
    const seconds = secondsOf(by)
    if (seconds === null)
      throw new CommandError([`${by} is no span of time: say 90m, 12h, 31d or 2w, ten years at most`])
    const start = await read(paywallId)
    return move(paywallId, start, start.now + seconds * 1000)
  }

  async function move(paywallId: string, start: PaywallClock, at: number): Promise<Date> {
    const accounts = accountsOf(paywallId, start)
    const target = Math.max(start.now, at)
    // First what is under way now, such as webhooks, so that it happens at this time.
    for (let at = start.now; ; at = Math.min(target, await nextDue(paywallId, accounts))) {
      await movePaywallClock(database, paywallId, at)
      for (const emulator of accounts) await emulator.moveTo(paywallId, at / 1000)
      await doWhatIsDue(paywallId)
      if (at === target) break
    }
    return new Date((await read(paywallId)).now)
  }

  /** The emulators at which a paywall has an account that it shares with no other paywall. */
  function accountsOf(paywallId: string, { isTest, acquiring }: PaywallClock) {
    if (!isTest) throw new CommandError([`paywall ${paywallId} is live: it goes by the real time`])
    return acquiring.flatMap((each) => {
      const emulator = emulators[each]
      const sellers = emulator.sellersBeside(paywallId)
      const others = sellers.filter((id) => id !== paywallId).join(', ')
      if (others === '') return sellers.length > 0 ? emulator : []
      const { title } = DEFINITIONS[each]
      const mend = 'give each credentials of its own'
      throw new CommandError([
        `paywall ${paywallId} shares its account at ${title}, which has one clock, with ${others}: ${mend}`,
      ])
    })
  }

  async function nextDue(paywallId: string, accounts: Emulators[keyof Emulators][]): Promise<number> {
    const { reconcileAt, deliverAt } = await read(paywallId)
    const there = accounts.map((emulator) => emulator.nextDue(paywallId)).map((at) => (at === null ? null : at * 1000))
    return Math.min(...[reconcileAt, deliverAt, ...there].map((at) => at ?? Number.POSITIVE_INFINITY))
  }

  /** Runs the crons until nothing of the paywall is due or under way. */
  async function doWhatIsDue(paywallId: string): Promise<void> {
    const deadline = Date.now() + QUIET_MS
    for (;;) {
      const { now, reconcileAt, deliverAt } = await read(paywallId)
      const isDue = (at: number | null) => at !== null && at <= now
      if (!isDue(reconcileAt) && !isDue(deliverAt)) return
      if (Date.now() > deadline) throw new Error(`paywall ${paywallId} is never done with what is due`)
      if (isDue(reconcileAt)) await crons.run('reconcile')
      if (isDue(deliverAt)) await crons.run('deliver-events')
      // A delivery that a queue message has leased is due until its attempt has ended.
      if (isDue(deliverAt)) await delay(LOOK_AGAIN_MS)
    }
  }

  /** A clock is moved by one call at a time. */
  function inTurn<Result>(paywallId: string, work: () => Promise<Result>): Promise<Result> {
    const done = (turns.get(paywallId) ?? Promise.resolve()).then(work)
    turns.set(
      paywallId,
      done.catch(() => undefined),
    )
    return done
  }

  return {
    now: async (paywallId) => new Date((await read(paywallId)).now),
    advance: (paywallId, by) => inTurn(paywallId, () => advance(paywallId, by)),
    moveTo: (paywallId, at) => inTurn(paywallId, async () => move(paywallId, await read(paywallId), at.getTime())),
    catchUp: (paywallId) => inTurn(paywallId, () => doWhatIsDue(paywallId)),
  }
}
