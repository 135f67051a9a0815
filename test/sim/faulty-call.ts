import { setTimeout as delay } from 'node:timers/promises'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import type { HttpResponse } from '../../dev/emulators/core/server.ts'
import type { Dice } from '../fuzz/dice.ts'

/** Of 100 calls to a processor so many fail, and so many more are slow. Of 100 that open a page so many hang. */
const [FAILING, SLOW, HANGING] = [7, 15, 6]
const LONGEST_DELAY_MS = 400
/** Long enough for another attempt to come while the call is under way. */
const HANGING_MS = 3_000

interface Circumstances {
  /** Whether the call opens a checkout's page. */
  opensPage: boolean
  /** The processor has replied that a call failed. */
  onRefused: () => void
  /** The lease of the caller has expired. */
  endLeases: () => Promise<void>
}

const FAILURES = ['hung up before', 'hung up after', 'failed before', 'failed after'] as const

/**
 * One call to a processor as the dice have it: a connection that breaks or a 503, before the call takes effect or after it; or
 * an answer that is slow. A call that opens a checkout may hang, longer than the lease that its attempt has.
 */
export async function faultyCall(
  throws: Dice,
  run: () => Promise<HttpResponse>,
  { opensPage, onRefused, endLeases }: Circumstances,
): Promise<HttpResponse> {
  const chance = throws.below(100)
  if (opensPage && throws.below(100) < HANGING) {
    await endLeases()
    await delay(HANGING_MS)
  }
  if (chance < FAILING) return fail(throws.pick(FAILURES), run, onRefused)
  if (chance >= FAILING + SLOW) return run()
  const [wait, isBefore] = [throws.below(LONGEST_DELAY_MS), throws.chance(0.5)]
  if (isBefore) await delay(wait)
  const response = await run()
  if (!isBefore) await delay(wait)
  return response
}

async function fail(
  how: (typeof FAILURES)[number],
  run: () => Promise<HttpResponse>,
  onRefused: () => void,
): Promise<HttpResponse> {
  if (how === 'hung up before') throw new DroppedCall()
  if (how !== 'failed before') await run()
  if (how === 'hung up after') throw new DroppedCall()
  return refuse(onRefused)
}

/** The response of a processor that cannot take a call. */
export async function refuse(onRefused: () => void): Promise<HttpResponse> {
  onRefused()
  return UNAVAILABLE
}

const UNAVAILABLE: HttpResponse = {
  status: 503,
  headers: { 'Content-Type': 'application/json' },
  body: '{"error":{"type":"api_error"}}',
}
