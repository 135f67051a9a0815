import { setTimeout as delay } from 'node:timers/promises'
import type { CallInterceptor } from '../../dev/emulators/core/calls.ts'
import { createDice, type Dice } from '../fuzz/dice.ts'
import { faultyCall } from './faulty-call.ts'
import type { Life } from './history.ts'

/*
 * What goes wrong between us, the processors and the owner: calls that fail before or after they take effect, are slow or
 * hang; webhooks that are lost, doubled or late; an owner's backend that fails. Whose call or webhook it is, its account or
 * its paywall says, and each life has weather of its own, which changes with each of its steps.
 */

/** Of 100 webhooks of a processor. Late ones come after others that were sent after them. */
const [LOST, DOUBLED, LATE] = [10, 40, 30]
/** So many come only when days have passed. */
const DAYS_LATE = 5
const LONGEST_DELAY_MS = 400
/** Of 100 webhooks to the owner. */
const REFUSED = 3

/** Where a life takes place: its paywall, and the id of the account at its processor. */
export interface Place {
  paywallId: string
  account: string
  /** The path of a POST by which its processor opens a page. */
  opensPage: RegExp | null
  webhooks: Life['webhooks']
}

/** What became of a place in all its weather. */
export interface Damage {
  /** The bodies of webhooks that were lost for good, or were never accepted. */
  unheard: Set<string>
  /** How often a processor replied that opening a checkout had failed. The next attempt then needs another idempotency key. */
  refusedCheckouts: number
}

export interface Weather {
  /** The weather of a paywall's life from now on. */
  change(paywallId: string, seed: number): void
  /** The webhooks of a paywall that are days late come now. */
  daysHavePassed(paywallId: string): Promise<void>
  /** No more faults. Resolves when what was late, and the doubles of webhooks, have arrived, too. */
  calm(): Promise<void>
  /** How many calls of processors there were: kills are timed by it. */
  calls(): number
  getDamage(paywallId: string): Damage
  onCall: CallInterceptor<unknown>
  sendWebhook: typeof fetch
  /** What the owner's backend answers. */
  ownerStatus(paywallId: string): number
}

const noDamage = (): Damage => ({ unheard: new Set(), refusedCheckouts: 0 })

/** `endLeases` is called for a paywall when one of its calls has taken longer than any lease. */
export function createWeather(places: Place[], endLeases: (paywallId: string) => Promise<void>): Weather {
  const placeByAccount = new Map(places.map((place) => [place.account, place]))
  const arriving = new Map(places.map(({ paywallId, webhooks }) => [paywallId, webhooks]))
  const damages = new Map<string, Damage>(places.map(({ paywallId }) => [paywallId, noDamage()]))
  const dice = new Map<string, Dice>()
  const doubles: Promise<unknown>[] = []
  const late = new Map<string, (() => Promise<unknown>)[]>()
  let [isCalm, calls] = [false, 0]
  const diceFor = (paywallId: string) => (isCalm ? undefined : dice.get(paywallId))
  const getDamage = (paywallId: string) => damages.get(paywallId) ?? noDamage()

  /** An attempt of a webhook: the processor retries if it is not accepted, and gives up after some attempts. */
  async function attempt(paywallId: string, ...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    const { unheard } = getDamage(paywallId)
    unheard.add(String(init?.body))
    const response = await fetch(input, init)
    if (response.ok) unheard.delete(String(init?.body))
    return response
  }

  function lose(paywallId: string, init?: RequestInit): Response {
    getDamage(paywallId).unheard.add(String(init?.body))
    return new Response()
  }

  /** Until it comes, nothing is known of it. Its sender takes it for delivered. */
  function hold(paywallId: string, ...[input, init]: Parameters<typeof fetch>): Response {
    const send = () => attempt(paywallId, input, init).catch(() => 'the service is down at the moment')
    late.set(paywallId, [...(late.get(paywallId) ?? []), send])
    return lose(paywallId, init)
  }

  async function daysHavePassed(paywallId: string): Promise<void> {
    const waiting = late.get(paywallId) ?? []
    late.delete(paywallId)
    for (const send of waiting) await send()
  }

  return {
    daysHavePassed,
    change: (paywallId, seed) => void dice.set(paywallId, createDice(seed)),
    async calm() {
      isCalm = true
      for (const paywallId of late.keys()) await daysHavePassed(paywallId)
      await Promise.all(doubles)
    },
    calls: () => calls,
    getDamage,

    onCall(call, run) {
      calls += 1
      const { paywallId = '', opensPage } = placeByAccount.get(call.account ?? '') ?? {}
      const throws = diceFor(paywallId)
      if (!throws) return run()
      const isOfPage = call.method === 'POST' && opensPage?.test(call.path) === true
      return faultyCall(throws, run, {
        opensPage: isOfPage,
        onRefused() {
          if (isOfPage) getDamage(paywallId).refusedCheckouts += 1
        },
        endLeases: () => endLeases(paywallId),
      })
    },

    async sendWebhook(input, init) {
      const paywallId = String(input).split('/').at(-1) ?? ''
      const arrive = arriving.get(paywallId)
      if (arrive === 'none') return lose(paywallId, init)
      const throws = diceFor(paywallId)
      if (!throws) return attempt(paywallId, input, init)
      if (throws.below(100) < LOST && arrive === 'some') return lose(paywallId, init)
      if (throws.below(100) < DAYS_LATE) return hold(paywallId, input, init)
      const [isDouble, isLate] = [throws.below(100) < DOUBLED, throws.below(100) < LATE]
      if (isLate) await delay(throws.below(LONGEST_DELAY_MS))
      if (isDouble) doubles.push(fetch(input, init).catch(() => 'the other one counts'))
      return attempt(paywallId, input, init)
    },

    ownerStatus: (paywallId) => ((diceFor(paywallId)?.below(100) ?? 100) < REFUSED ? 503 : 200),
  }
}
