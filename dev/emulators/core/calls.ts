import type { HttpResponse } from './server.ts'

/** A call as it arrived. */
export interface RecordedCall<Body = unknown> {
  method: string
  path: string
  idempotencyKey: string | null
  body: Body
  /** The id of the account that it acts for; null if it was refused before that was known. */
  account: string | null
}

/**
 * The interceptor `onCall` throws this to cut the connection without a response. Thrown before `run`, the call has no effect;
 * thrown after it, the call has taken effect and only its response is lost.
 */
export class DroppedCall extends Error {
  override name = 'DroppedCall'
}

/** Stands between a call and its effect, and calls `run` at most once. */
export type CallInterceptor<Body> = (
  call: RecordedCall<Body>,
  run: () => Promise<HttpResponse>,
) => Promise<HttpResponse>

export interface ApiControls<Body = unknown> {
  calls: RecordedCall<Body>[]
  /** The interceptor that is set at the moment. */
  onCall: () => CallInterceptor<Body> | undefined
  /** Failures that a test has ordered with `failNext`: the next call to `path` gets the response and does not run. */
  failures: { path: string; status: number; body: unknown }[]
}

/** A failure that a test has ordered with `failNext`. */
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

/** A call that waits to run. */
export interface PreparedCall {
  run: () => HttpResponse
  /** Gives up the call's idempotency key; to be called at the end, whether the call has run or not. */
  giveUpKey: () => void
}

/**
 * Runs a call when its interceptor lets it, and resolves to its response once `save` is done; to null if the call is dropped.
 */
export async function runCall<Body>(
  call: RecordedCall<Body>,
  prepared: PreparedCall,
  { onCall, save }: { onCall: CallInterceptor<Body> | undefined; save: () => Promise<void> },
): Promise<HttpResponse | null> {
  const run = async () => {
    const response = prepared.run()
    await save()
    return response
  }
  try {
    return await (onCall ? onCall(call, run) : run())
  } catch (error) {
    if (error instanceof DroppedCall) return null
    throw error
  } finally {
    prepared.giveUpKey()
  }
}
