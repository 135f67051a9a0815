import { setTimeout as delay } from 'node:timers/promises'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import type { HttpResponse } from '../../dev/emulators/core/server.ts'
import type { Dice } from '../fuzz/dice.ts'

/** How many of 100 calls to a processor fail, and how many others are slow. How many of 100 calls that open a page hang. */
const [FAILING, SLOW, HANGING] = [7, 15, 6]
const LONGEST_DELAY_MS = 400
/** Long enough for another attempt to arrive while the call is in progress. */
const HANGING_MS = 3_000

interface CallContext {
  /** Whether the call opens a checkout's page. */
  opensPage: boolean
  /** Called when the processor responds that the call failed. */
  onRefused: () => void
  /** Expires the lease of the caller. */
  endLeases: () => Promise<void>
}

const FAILURES = ['hung up before', 'hung up after', 'failed before', 'failed after'] as const

/**
 * Runs a call to a processor with a fault that the dice choose: the connection breaks or the response is a 503, each before or after the
 * call takes effect; or the call is slow. A call that opens a checkout may hang for longer than the lease of its attempt.
 */
export async function faultyCall(
  throws: Dice,
  run: () => Promise<HttpResponse>,
  { opensPage, onRefused, endLeases }: CallContext,
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
