import { setTimeout as delay } from 'node:timers/promises'
import type { CallInterceptor } from '../../dev/emulators/core/calls.ts'
import { createDice, type Dice } from '../fuzz/dice.ts'
import { faultyCall, refuse } from './faulty-call.ts'
import type { Life } from './history.ts'

/*
 * Injects faults between the service, the processors and the owner: calls that fail before or after they take effect, are slow or
 * hang; webhooks that are lost, duplicated or late; an owner's backend that fails. Calls are assigned to a life by their account,
 * webhooks by their paywall. Each step of a life has a seed of its own for its faults.
 */

/** How many of 100 webhooks of a processor are lost, duplicated or late. Late ones may arrive after ones that were sent later. */
const [LOST, DUPLICATED, LATE] = [10, 40, 30]
/** How many of 100 webhooks of a processor arrive only after days. */
const DAYS_LATE = 5
const LONGEST_DELAY_MS = 400
/** How many of 100 webhooks the owner's backend refuses. */
const REFUSED = 3

/** A paywall of a life, and its account at the processor. */
export interface FaultTarget {
  paywallId: string
  account: string
  /** The path of the POST that opens a page at its processor. */
  opensPage: RegExp | null
  webhooks: Life['webhooks']
}

/** What the faults have caused at a paywall. */
export interface FaultEffects {
  /** The bodies of webhooks that were lost for good, or were never accepted. */
  lostWebhooks: Set<string>
  /** How often a processor replied that opening a checkout had failed. The next attempt then needs another idempotency key. */
  refusedCheckouts: number
}

export interface FaultInjector {
  /** Sets the seed of a paywall's faults from now on. */
  reseed(paywallId: string, seed: number): void
  /** Sets whether the processor refuses every call for a paywall that would change something. */
  setOutage(paywallId: string, isOut: boolean): void
  /** Delivers the webhooks of a paywall that are days late. */
  deliverLate(paywallId: string): Promise<void>
  /** Ends all faults. Resolves when late and duplicate webhooks have arrived, too. */
  stop(): Promise<void>
  /** The number of calls to processors so far: kills are timed by it. */
  calls(): number
  getEffects(paywallId: string): FaultEffects
  onCall: CallInterceptor<unknown>
  sendWebhook: typeof fetch
  /** The status with which the owner's backend responds. */
  ownerStatus(paywallId: string): number
}

const noEffects = (): FaultEffects => ({ lostWebhooks: new Set(), refusedCheckouts: 0 })

/** `endLeases` is called for a paywall when one of its calls has taken longer than any lease. */
export function createFaultInjector(
  targets: FaultTarget[],
  endLeases: (paywallId: string) => Promise<void>,
): FaultInjector {
  const targetByAccount = new Map(targets.map((target) => [target.account, target]))
  const webhooksByPaywall = new Map(targets.map(({ paywallId, webhooks }) => [paywallId, webhooks]))
  const effects = new Map<string, FaultEffects>(targets.map(({ paywallId }) => [paywallId, noEffects()]))
  const diceByPaywall = new Map<string, Dice>()
  const duplicates: Promise<unknown>[] = []
  const outages = new Set<string>()
  const late = new Map<string, (() => Promise<unknown>)[]>()
  let [isStopped, calls] = [false, 0]
  const diceFor = (paywallId: string) => (isStopped ? undefined : diceByPaywall.get(paywallId))
  const getEffects = (paywallId: string) => effects.get(paywallId) ?? noEffects()

  /** Attempts to deliver a webhook. The processor retries if it is not accepted, and gives up after some attempts. */
  async function attempt(paywallId: string, ...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    const { lostWebhooks } = getEffects(paywallId)
    lostWebhooks.add(String(init?.body))
    const response = await fetch(input, init)
    if (response.ok) lostWebhooks.delete(String(init?.body))
    return response
  }

  function lose(paywallId: string, init?: RequestInit): Response {
    getEffects(paywallId).lostWebhooks.add(String(init?.body))
    return new Response()
  }

  /** Holds a webhook back until `deliverLate`. Its sender believes that it was delivered. */
  function hold(paywallId: string, ...[input, init]: Parameters<typeof fetch>): Response {
    const send = () => attempt(paywallId, input, init).catch(() => 'the service is down at the moment')
    late.set(paywallId, [...(late.get(paywallId) ?? []), send])
    return lose(paywallId, init)
  }

  async function deliverLate(paywallId: string): Promise<void> {
    const waiting = late.get(paywallId) ?? []
    late.delete(paywallId)
    for (const send of waiting) await send()
  }

  return {
    deliverLate,
    reseed: (paywallId, seed) => void diceByPaywall.set(paywallId, createDice(seed)),
    setOutage: (paywallId, isOut) => void (isOut ? outages.add(paywallId) : outages.delete(paywallId)),
    async stop() {
      isStopped = true
      for (const paywallId of late.keys()) await deliverLate(paywallId)
      await Promise.all(duplicates)
    },
    calls: () => calls,
    getEffects,

    onCall(call, run) {
      calls += 1
      const { paywallId = '', opensPage } = targetByAccount.get(call.account ?? '') ?? {}
      const dice = diceFor(paywallId)
      if (!dice) return run()
      const isOpening = call.method === 'POST' && opensPage?.test(call.path) === true
      const onRefused = () => {
        if (isOpening) getEffects(paywallId).refusedCheckouts += 1
      }
      if (outages.has(paywallId) && call.method !== 'GET') return refuse(onRefused)
      return faultyCall(dice, run, {
        opensPage: isOpening,
        onRefused,
        endLeases: () => endLeases(paywallId),
      })
    },

    async sendWebhook(input, init) {
      const paywallId = String(input).split('/').at(-1) ?? ''
      const arrive = webhooksByPaywall.get(paywallId)
      if (arrive === 'none') return lose(paywallId, init)
      const dice = diceFor(paywallId)
      if (!dice) return attempt(paywallId, input, init)
      if (dice.below(100) < LOST && arrive === 'some') return lose(paywallId, init)
      if (dice.below(100) < DAYS_LATE) return hold(paywallId, input, init)
      const [isDuplicate, isLate] = [dice.below(100) < DUPLICATED, dice.below(100) < LATE]
      if (isLate) await delay(dice.below(LONGEST_DELAY_MS))
      if (isDuplicate) duplicates.push(fetch(input, init).catch(() => 'the first one counts'))
      return attempt(paywallId, input, init)
    },

    ownerStatus: (paywallId) => ((diceFor(paywallId)?.below(100) ?? 100) < REFUSED ? 503 : 200),
  }
}
