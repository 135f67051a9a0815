import { expect } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import type { Reply } from '../support/call.ts'
import { FULL_SIZE } from '../support/full-size.ts'
import type { Shop } from './shop.ts'

/** `cut`: the connection breaks before a call takes effect; `lost`: after it. A number: the processor refuses with that status. */
type Fault = number | 'cut' | 'lost'

/** The `error` of our 502 for each fault. A status means the same at each call. */
const ALL_FAULTS: readonly [Fault, string][] = [
  [401, 'processor_misconfigured'],
  [403, 'processor_misconfigured'],
  [404, 'processor_rejected'],
  [409, 'processor_unavailable'],
  [422, 'processor_rejected'],
  [429, 'processor_unavailable'],
  [500, 'processor_unavailable'],
  ['cut', 'processor_unavailable'],
  ['lost', 'processor_unavailable'],
]

/** The faults that are also tried at later calls, when part of the work was already done. */
const LATER: readonly Fault[] = FULL_SIZE ? [404, 500, 'lost'] : ['lost']

/** All of them at full size; else one of each kind. */
const FIRST: readonly Fault[] = [403, 404, 500, 'lost']
const FAULTS = FULL_SIZE ? ALL_FAULTS : ALL_FAULTS.filter(([fault]) => FIRST.includes(fault))

/** A fault of all calls except the first `from`; `error` is the error of our response. */
export interface Outage {
  fault: Fault
  from: number
  error: string
}

/**
 * While something runs, the processor has a fault. `lost`: the replies to the calls that took effect all the same; null if
 * the fault affected no call.
 */
export async function during<Result>(
  { emulator }: Shop,
  { fault, from }: Pick<Outage, 'fault' | 'from'>,
  meanwhile: () => Promise<Result>,
): Promise<{ result: Result; lost: string[] | null }> {
  let lost: string[] | null = null
  let calls = 0
  const stored = new Set<string>()
  emulator.onCall = async ({ path, idempotencyKey }, run) => {
    calls += 1
    if (calls <= from) return run()
    lost ??= []
    if (fault === 'cut') throw new DroppedCall()
    if (fault === 'lost') {
      lost.push((await run()).body)
      throw new DroppedCall()
    }
    // An error of the processor's own is stored under the idempotency key, and replayed.
    if (!stored.has(idempotencyKey ?? '')) emulator.failNext(path, fault)
    if (idempotencyKey !== null && fault >= 500) stored.add(idempotencyKey)
    return run()
  }
  try {
    return { result: await meanwhile(), lost }
  } finally {
    emulator.onCall = undefined
  }
}

/** An operation that calls the processor, and can be repeated. */
interface Asking<Subject> {
  /** Its subject. */
  begin(): Promise<Subject>
  ask(subject: Subject): Promise<Reply>
  /** How many of its calls it needs: it succeeds although one of the others fails. Default: all of them. */
  needs?: number
  /** Checks the response to a fault. Returns whether anything took effect, so that this subject cannot be used for another fault. */
  refused(subject: Subject, outage: Outage, reply: Reply, lost: string[]): Promise<boolean>
  /** Checks the response without a fault. */
  done(subject: Subject, reply: Reply): Promise<void>
}

/** Runs the operation with each fault at each call, and then without: as many times on one subject as possible. */
export async function throughEachOutage<Subject>(shop: Shop, asking: Asking<Subject>): Promise<void> {
  const first = await asking.begin()
  const before = shop.emulator.calls.length
  await asking.done(first, await asking.ask(first))
  const calls = shop.emulator.calls.length - before
  expect(calls).toBeGreaterThan(0)

  let used: Subject | null = null
  const finish = async (subject: Subject) => asking.done(subject, await asking.ask(subject))
  for (let from = 0; from < calls; from++) {
    for (const [fault, error] of FAULTS.filter(([each]) => from === 0 || LATER.includes(each))) {
      const outage = { fault, from, error }
      for (let subject: Subject = used ?? (await asking.begin()); ; subject = await asking.begin()) {
        const { result, lost } = await during(shop, outage, () => asking.ask(subject))
        const wasFresh: boolean = subject !== used
        used = null
        if (lost && from < (asking.needs ?? calls)) {
          if (await asking.refused(subject, outage, result, lost)) await finish(subject)
          else used = subject
          break
        }
        // The call was not needed, or it made fewer calls than the first time, because part of the work was already done.
        await asking.done(subject, result)
        if (wasFresh) break
      }
    }
  }
  if (used !== null) await finish(used)
}

/** A 502 that says what to do about it. */
export function expectRefusal(reply: Reply, { fault, from, error }: Outage): void {
  const { status, body, headers } = reply
  const note = `${fault} from call ${from}`
  expect({ status, body, retry: headers['retry-after'] }, note).toEqual({
    status: 502,
    body: { error },
    retry: error === 'processor_unavailable' ? '2' : undefined,
  })
}
