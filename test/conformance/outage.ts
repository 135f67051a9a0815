import { expect } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import type { Reply } from '../support/call.ts'
import { FULL_SIZE } from '../support/full-size.ts'
import { refusal } from '../support/refusal.ts'
import type { Shop } from './shop.ts'

/** `cut`: the connection breaks before a call takes effect; `lost`: after it. A number: the processor responds with that status. */
type Fault = number | 'cut' | 'lost'

/** The `error` of our 502 for each fault. */
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

/** The faults that are also tried at later calls, after part of the work is done. */
const LATER_FAULTS: readonly Fault[] = FULL_SIZE ? [404, 500, 'lost'] : ['lost']

/** At full size all faults, otherwise one of each kind. */
const QUICK_FAULTS: readonly Fault[] = [403, 404, 500, 'lost']
const FAULTS = FULL_SIZE ? ALL_FAULTS : ALL_FAULTS.filter(([fault]) => QUICK_FAULTS.includes(fault))

/** A fault of all calls except the first `from`. `error`: the error of our response. */
export interface Outage {
  fault: Fault
  from: number
  error: string
}

/**
 * Applies a fault to the processor while `meanwhile` runs. `lost`: the replies to calls that took effect nevertheless; null if the
 * fault affected no call.
 */
export async function withFault<Result>(
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

/** A request that makes us call the processor, and can be retried. */
interface Operation<Subject> {
  /** Creates what the request is about, such as a buyer. */
  create(): Promise<Subject>
  send(subject: Subject): Promise<Reply>
  /** How many of its calls must succeed; a failure of the others does not matter. Default: all. */
  requiredCalls?: number
  /** Checks the response to a fault. Returns whether anything took effect, so that the subject cannot be reused. */
  checkRefusal(subject: Subject, outage: Outage, reply: Reply, lost: string[]): Promise<boolean>
  /** Checks the response without a fault. */
  checkSuccess(subject: Subject, reply: Reply): Promise<void>
}

/** Runs the operation with each fault at each call, and then without. Reuses subjects if possible. */
export async function throughEachOutage<Subject>(shop: Shop, operation: Operation<Subject>): Promise<void> {
  const first = await operation.create()
  const before = shop.emulator.calls.length
  await operation.checkSuccess(first, await operation.send(first))
  const calls = shop.emulator.calls.length - before
  expect(calls).toBeGreaterThan(0)

  let used: Subject | null = null
  const finish = async (subject: Subject) => operation.checkSuccess(subject, await operation.send(subject))
  for (let from = 0; from < calls; from++) {
    for (const [fault, error] of FAULTS.filter(([each]) => from === 0 || LATER_FAULTS.includes(each))) {
      const outage = { fault, from, error }
      for (let subject: Subject = used ?? (await operation.create()); ; subject = await operation.create()) {
        const { result, lost } = await withFault(shop, outage, () => operation.send(subject))
        const wasFresh: boolean = subject !== used
        used = null
        if (lost && from < (operation.requiredCalls ?? calls)) {
          if (await operation.checkRefusal(subject, outage, result, lost)) await finish(subject)
          else used = subject
          break
        }
        // The failed call was not needed, or there were fewer calls than the first time, because part of the work was already done.
        await operation.checkSuccess(subject, result)
        if (wasFresh) break
      }
    }
  }
  if (used !== null) await finish(used)
}

/** Checks that the reply is a 502 with the expected error and `Retry-After`. */
export function expectRefusal(reply: Reply, { fault, from, error }: Outage): void {
  const { status, body, headers } = reply
  const note = `${fault} from call ${from}`
  expect({ status, body, retry: headers['retry-after'] }, note).toEqual({
    status: 502,
    body: refusal(error),
    retry: error === 'processor_unavailable' ? '2' : undefined,
  })
}
