import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { CommandError } from '../../../cli/command.ts'
import type { Emulators } from '../../emulators/emulators.ts'
import type { Crons } from '../workers/crons.ts'
import { parseDuration } from './duration.ts'
import { movePaywallClock, type PaywallClock, readPaywallClock } from './paywall-clock.ts'

/** The clocks of test paywalls. Each goes with the real time, some way ahead of it, and so does its emulated account. */
export interface Clock {
  /** A paywall's time. Throws a `CommandError` if there is no such paywall. */
  now(paywallId: string): Promise<Date>
  /**
   * Moves a paywall's clock by a span such as `31d`, that of its emulated accounts, and those of all paywalls that sell through these.
   * What falls due meanwhile happens, each at its time: renewals, ends of trials and periods, refunds, repeated webhooks, looks of the
   * reconcile cron, attempts to deliver. Resolves to the paywall's time once nothing more is due. Throws a `CommandError` for what
   * cannot be done.
   */
  advance(paywallId: string, by: string): Promise<Date>
  /** The same, to a time. The clock of a paywall that has it already stays. */
  moveTo(paywallId: string, at: Date): Promise<Date>
  /** Resolves once nothing of a paywall is due or under way at its present time. */
  runDue(paywallId: string): Promise<void>
}

interface Parts {
  database: pg.Pool
  emulators: Emulators
  crons: Crons
}

/** A paywall whose clock is moved, and the emulators at which it has an account. */
interface Seller {
  paywallId: string
  accounts: Emulators[keyof Emulators][]
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

  async function move(together: Seller[], at: number): Promise<void> {
    const clocks = await Promise.all(together.map(({ paywallId }) => read(paywallId)))
    const [start, target] = [Math.min(...clocks.map(({ now }) => now)), Math.max(at, ...clocks.map(({ now }) => now))]
    // First what is under way now, such as webhooks, so that it happens at this time.
    for (let at = start; ; at = Math.min(target, await nextDue(together))) {
      for (const { paywallId } of together) await movePaywallClock(database, paywallId, at)
      for (const { paywallId, accounts } of together) {
        for (const emulator of accounts) await emulator.moveTo(paywallId, at / 1000)
      }
      for (const { paywallId } of together) await doWhatIsDue(paywallId)
      if (at === target) break
    }
  }

  /** Those whose clocks are moved with a paywall's, itself among them: an account has one clock for all that sell through it. */
  async function movedWith(paywallId: string): Promise<Seller[]> {
    const together = new Map<string, Seller>()
    const waiting = [paywallId]
    for (const id of waiting) {
      if (together.has(id)) continue
      const { isTest, acquiring } = await read(id)
      if (!isTest) throw new CommandError([cannotMove(paywallId, id)])
      const accounts = acquiring.map((each) => emulators[each]).filter((each) => each.sellersBeside(id).length > 0)
      together.set(id, { paywallId: id, accounts })
      waiting.push(...accounts.flatMap((emulator) => emulator.sellersBeside(id)))
    }
    return [...together.values()]
  }

  const cannotMove = (paywallId: string, liveId: string) =>
    paywallId === liveId
      ? `paywall ${paywallId} is live: it goes by the real time`
      : `paywall ${paywallId} shares its account with ${liveId}, which is live: give each credentials of its own`

  async function nextDue(together: Seller[]): Promise<number> {
    const dues = together.map(async ({ paywallId, accounts }) => {
      const { reconcileAt, deliverAt } = await read(paywallId)
      const there = accounts
        .map((emulator) => emulator.nextDue(paywallId))
        .map((at) => (at === null ? null : at * 1000))
      return [reconcileAt, deliverAt, ...there]
    })
    return Math.min(...(await Promise.all(dues)).flat().map((at) => at ?? Number.POSITIVE_INFINITY))
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
  function inTurn<Result>(paywallIds: string[], work: () => Promise<Result>): Promise<Result> {
    const done = Promise.all(paywallIds.map((id) => turns.get(id))).then(work)
    const over = done.catch(() => undefined)
    for (const id of paywallIds) turns.set(id, over)
    return done
  }

  /** Moves a paywall's clock to the time that `target` returns for its present one, in milliseconds. */
  async function moveInTurn(paywallId: string, target: (now: number) => number): Promise<Date> {
    const together = await movedWith(paywallId)
    const ids = together.map((each) => each.paywallId)
    return inTurn(ids, async () => {
      await move(together, target((await read(paywallId)).now))
      return new Date((await read(paywallId)).now)
    })
  }

  return {
    now: async (paywallId) => new Date((await read(paywallId)).now),
    async advance(paywallId, by) {
      const seconds = parseDuration(by)
      if (seconds === null)
        throw new CommandError([`${by} is no span of time: say 90m, 12h, 31d or 2w, ten years at most`])
      return moveInTurn(paywallId, (now) => now + seconds * 1000)
    },
    moveTo: (paywallId, at) => moveInTurn(paywallId, () => at.getTime()),
    runDue: (paywallId) => inTurn([paywallId], () => doWhatIsDue(paywallId)),
  }
}
