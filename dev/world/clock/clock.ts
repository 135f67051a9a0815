import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { CommandError } from '../../../cli/command.ts'
import type { Emulators } from '../../emulators/emulators.ts'
import type { Crons } from '../workers/crons.ts'
import { parseDuration } from './duration.ts'
import { movePaywallClock, type PaywallClock, readPaywallClock } from './paywall-clock.ts'

/** The clocks of test paywalls. Each runs at the speed of real time with an offset into the future; so does its emulated account. */
export interface Clock {
  /** A paywall's time. Throws a `CommandError` if there is no such paywall. */
  now(paywallId: string): Promise<Date>
  /**
   * Moves a paywall's clock by a duration such as `31d`, together with its emulated accounts and all paywalls that sell through these.
   * Everything that falls due on the way happens at its own time: renewals, ends of trials and periods, refunds, webhook retries, delivery
   * attempts, reads for pending events, ends of grants, and polls of the reconcile cron. Only what falls due at processors within a minute
   * happens together, and so do polls. Resolves to the paywall's new time once nothing more is due. Throws a `CommandError` if the clock
   * cannot be moved.
   */
  advance(paywallId: string, by: string): Promise<Date>
  /**
   * Moves the clock to a time in the same way. A clock that is already at or past that time stays. `afterStep` is called at each time at
   * which something was due, once it is done.
   */
  moveTo(paywallId: string, at: Date, afterStep?: AfterStep): Promise<Date>
  /** Resolves once a paywall has no work due or in progress at its current time. */
  runDue(paywallId: string): Promise<void>
}

type AfterStep = () => Promise<void>

interface ClockOptions {
  database: pg.Pool
  emulators: Emulators
  crons: Crons
}

/** A paywall whose clock is moved, and the emulators at which it has an account. */
interface Seller {
  paywallId: string
  accounts: Emulators[keyof Emulators][]
}

/** What falls due at a processor within a minute is run together. */
const endOfMinute = (at: number) => Math.ceil(at / 60_000) * 60_000

/** Longer than several delivery attempts in a row may take. */
const TIMEOUT_SECONDS = 60
const RETRY_MS = 10

export function createClock({ database, emulators, crons }: ClockOptions): Clock {
  const lastMoves = new Map<string, Promise<unknown>>()

  async function read(paywallId: string): Promise<PaywallClock> {
    const clock = await readPaywallClock(database, paywallId)
    if (!clock) throw new CommandError([`there is no paywall ${paywallId}`])
    return clock
  }

  async function move(together: Seller[], at: number, afterStep?: AfterStep): Promise<void> {
    const clocks = await Promise.all(together.map(({ paywallId }) => read(paywallId)))
    const times = clocks.map(({ now }) => now)
    const start = Math.min(...times)
    const target = Math.max(at, ...times)
    // The first round finishes what is in progress now, such as webhooks, at the current time.
    for (let at = start; ; at = Math.min(target, await nextDue(together))) {
      for (const { paywallId } of together) await movePaywallClock(database, paywallId, at)
      for (const { paywallId, accounts } of together) {
        for (const emulator of accounts) await emulator.moveTo(paywallId, at / 1000)
      }
      for (const { paywallId } of together) await runDueWork(paywallId)
      await afterStep?.()
      if (at === target) break
    }
  }

  /** The paywall and all others whose clocks move with it: an account has one clock for all paywalls that sell through it. */
  async function movedWith(paywallId: string): Promise<Seller[]> {
    const together = new Map<string, Seller>()
    const waiting = [paywallId]
    for (const id of waiting) {
      if (together.has(id)) continue
      const { isTest, acquiring } = await read(id)
      if (!isTest) throw new CommandError([cannotMove(paywallId, id)])
      const accounts = acquiring
        .map((each) => emulators[each])
        .filter((each) => each.paywallsSharingAccount(id).length > 0)
      together.set(id, { paywallId: id, accounts })
      waiting.push(...accounts.flatMap((emulator) => emulator.paywallsSharingAccount(id)))
    }
    return [...together.values()]
  }

  const cannotMove = (paywallId: string, liveId: string) =>
    paywallId === liveId
      ? `paywall ${paywallId} is live, so its clock cannot be moved`
      : `paywall ${paywallId} shares its account with ${liveId}, which is live: give each its own credentials`

  async function nextDue(together: Seller[]): Promise<number> {
    const dues = together.map(async ({ paywallId, accounts }) => {
      const { pollBy, readAt, grantEndAt, deliverAt } = await read(paywallId)
      const there = accounts
        .map((emulator) => emulator.nextDue(paywallId))
        .map((at) => (at === null ? null : endOfMinute(at * 1000)))
      return [pollBy, readAt, grantEndAt, deliverAt, ...there]
    })
    return Math.min(...(await Promise.all(dues)).flat().map((at) => at ?? Number.POSITIVE_INFINITY))
  }

  /** Runs the crons until the paywall has no work due or in progress. */
  async function runDueWork(paywallId: string): Promise<void> {
    const deadline = Date.now() + TIMEOUT_SECONDS * 1000
    for (;;) {
      const { now, pollAt, readAt, grantEndAt, deliverAt } = await read(paywallId)
      const isDue = (at: number | null) => at !== null && at <= now
      const isReconcileDue = [pollAt, readAt, grantEndAt].some(isDue)
      if (!isReconcileDue && !isDue(deliverAt)) return
      if (Date.now() > deadline) throw new Error(`paywall ${paywallId} still has due work after ${TIMEOUT_SECONDS} s`)
      if (isReconcileDue) await crons.run('reconcile')
      if (isDue(deliverAt)) await crons.run('deliver-events')
      // A delivery leased by a queue message stays due until its attempt ends.
      if (isDue(deliverAt)) await delay(RETRY_MS)
    }
  }

  /** Serializes the calls that move the same clock. */
  function serialize<Result>(paywallIds: string[], work: () => Promise<Result>): Promise<Result> {
    const done = Promise.all(paywallIds.map((id) => lastMoves.get(id))).then(work)
    const over = done.catch(() => undefined)
    for (const id of paywallIds) lastMoves.set(id, over)
    return done
  }

  /** Moves a paywall's clock to the time that `target` returns for its current one, in milliseconds. */
  async function moveTogether(
    paywallId: string,
    target: (now: number) => number,
    afterStep?: AfterStep,
  ): Promise<Date> {
    const together = await movedWith(paywallId)
    const ids = together.map((each) => each.paywallId)
    return serialize(ids, async () => {
      await move(together, target((await read(paywallId)).now), afterStep)
      return new Date((await read(paywallId)).now)
    })
  }

  return {
    now: async (paywallId) => new Date((await read(paywallId)).now),
    async advance(paywallId, by) {
      const seconds = parseDuration(by)
      if (seconds === null)
        throw new CommandError([`${by} is not a duration: use 90m, 12h, 31d or 2w, at most ten years`])
      return moveTogether(paywallId, (now) => now + seconds * 1000)
    },
    moveTo: (paywallId, at, afterStep) => moveTogether(paywallId, () => at.getTime(), afterStep),
    runDue: (paywallId) => serialize([paywallId], () => runDueWork(paywallId)),
  }
}
