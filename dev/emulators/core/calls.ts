import type { HttpResponse } from './server.ts'

/** An API call as received. */
export interface RecordedCall<Body = unknown> {
  method: string
  path: string
  idempotencyKey: string | null
  body: Body
  /** The id of the account; null if the call was refused before authentication. */
  account: string | null
}

/**
 * Thrown by an interceptor `onCall` to close the connection without a response. Thrown before `run`, the call has no effect;
 * thrown after it, only the response is lost.
 */
export class DroppedCall extends Error {
  override name = 'DroppedCall'
}

/** Wraps the execution of a call, and calls `run` at most once. */
export type CallInterceptor<Body> = (
  call: RecordedCall<Body>,
  run: () => Promise<HttpResponse>,
) => Promise<HttpResponse>

export interface ApiControls<Body = unknown> {
  calls: RecordedCall<Body>[]
  /** The current interceptor. */
  onCall: () => CallInterceptor<Body> | undefined
  /** Failures injected with `failNext`: the next call to `path` gets the response and does not run. */
  failures: { path: string; status: number; body: unknown }[]
}

/** A failure injected with `failNext`. */
export class InjectedFailure extends Error {
  readonly status: number
  readonly body: unknown

  constructor(status: number, body: unknown) {
    super('injected')
    this.status = status
    this.body = body
  }
}

/** Throws the failure injected for a path, once. */
export function throwInjectedFailure({ failures }: Pick<ApiControls, 'failures'>, path: string): void {
  const index = failures.findIndex((ordered) => ordered.path === path)
  const [failure] = index < 0 ? [] : failures.splice(index, 1)
  if (failure) throw new InjectedFailure(failure.status, failure.body)
}

/** A call that is ready to run. */
export interface PreparedCall {
  run: () => HttpResponse
  /** Gives up the call's idempotency key. Call it at the end, whether or not the call ran. */
  giveUpKey: () => void
}

/**
 * Runs a call through its interceptor and saves. Resolves to the response; null if the call was dropped.
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
