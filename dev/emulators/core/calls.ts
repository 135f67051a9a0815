import type { Answer } from './server.ts'

/** A call as it arrived. */
export interface RecordedCall<Body = unknown> {
  method: string
  path: string
  idempotencyKey: string | null
  body: Body
}

/** Thrown by an `onCall` hook to hang up: before `run` the call never takes effect, after it the answer is lost. */
export class DroppedCall extends Error {
  override name = 'DroppedCall'
}

/** Stands between a call and its effect, and calls `run` at most once. */
export type CallHook<Body> = (call: RecordedCall<Body>, run: () => Promise<Answer>) => Promise<Answer>

export interface ApiControls<Body = unknown> {
  calls: RecordedCall<Body>[]
  /** The hook of the moment. */
  onCall: () => CallHook<Body> | undefined
  /** Answers that the next calls to a path get instead of being run. */
  failures: { path: string; status: number; body: unknown }[]
}

/** A failure that a test has ordered. */
export class OrderedFailure extends Error {
  readonly status: number
  readonly body: unknown

  constructor(status: number, body: unknown) {
    super('ordered')
    this.status = status
    this.body = body
  }
}

/** Throws the failure that is ordered for a path, once. */
export function failIfOrdered({ failures }: Pick<ApiControls, 'failures'>, path: string): void {
  const index = failures.findIndex((ordered) => ordered.path === path)
  const [failure] = index < 0 ? [] : failures.splice(index, 1)
  if (failure) throw new OrderedFailure(failure.status, failure.body)
}

/** A call between its arrival and its effect. */
export interface Arrival {
  run: () => Answer
  /** To be called when it is over, run or not. */
  leave: () => void
}

/** Runs a call as the hook of the moment lets it, and gives its answer once `save` has kept it; null: dropped. */
export async function pass<Body>(
  call: RecordedCall<Body>,
  arrival: Arrival,
  { onCall, save }: { onCall: CallHook<Body> | undefined; save: () => Promise<void> },
): Promise<Answer | null> {
  const run = async () => {
    const answer = arrival.run()
    await save()
    return answer
  }
  try {
    return await (onCall ? onCall(call, run) : run())
  } catch (error) {
    if (error instanceof DroppedCall) return null
    throw error
  } finally {
    arrival.leave()
  }
}
