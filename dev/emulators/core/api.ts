import { type ApiControls, type PreparedCall, type RecordedCall, runCall } from './calls.ts'
import { idempotency, type KeyRules, type StoredReply } from './idempotency.ts'
import { type HttpRequest, type HttpResponse, header } from './server.ts'
import type { State } from './state.ts'
import { newId, type ReplyRecord } from './tables.ts'

/*
 * A call to a processor's API, step by step: it is recorded; the processor authenticates and validates it (`admit`); if
 * it has an idempotency key, that is claimed, and a key that was used before gets its stored response again; the interceptor
 * that a test may have set decides when the call runs; it runs; its response is stored under the key; the records are
 * saved; the response goes out.
 */

export interface Outcome {
  response: HttpResponse
  /** Whether the response is stored under the call's idempotency key. */
  executed: boolean
}

/** A call that its processor has let in. */
interface Admitted {
  account: string
  /** The same for the same parameters. */
  fingerprint: string
  execute: () => Outcome
}

export interface ApiOptions<Body> {
  state: State<{ replies: Map<string, ReplyRecord> }>
  controls: ApiControls<Body>
  keyRules: KeyRules
  /** The body in the form in which the call is recorded. */
  readBody: (request: HttpRequest) => Body
  /** Throws if the call is refused before anything has run. */
  admit: (request: HttpRequest, call: RecordedCall<Body>, requestId: string) => Admitted
  /** The response to what `admit` threw. */
  refuse: (error: unknown, requestId: string) => HttpResponse
  /** A stored response, marked as the processor marks it. */
  replay: (stored: StoredReply, key: string, requestId: string) => HttpResponse
}

/**
 * A processor's API. Idempotency keys count on POST requests only. Resolves to null if a test's interceptor dropped the call:
 * then there is no response.
 */
export function createApi<Body>({ state, controls, ...processor }: ApiOptions<Body>) {
  const keys = idempotency(state.records.replies, processor.keyRules)

  return function api(request: HttpRequest): Promise<HttpResponse | null> {
    const { method, path } = request
    const idempotencyKey = method === 'POST' ? header(request, 'idempotency-key') : null
    const call: RecordedCall<Body> = { method, path, idempotencyKey, body: processor.readBody(request), account: null }
    controls.calls.push(call)
    return runCall(call, prepare(request, call, newId('req_', 7)), { onCall: controls.onCall(), save: state.save })
  }

  function prepare(request: HttpRequest, call: RecordedCall<Body>, requestId: string): PreparedCall {
    const key = call.idempotencyKey
    const noKey = () => {}
    try {
      const { account, fingerprint, execute } = processor.admit(request, call, requestId)
      call.account = account
      if (key === null) return { run: () => execute().response, giveUpKey: noKey }

      const keyed = { account, key, path: call.path, fingerprint }
      const stored = keys.claim(keyed, now())
      if (stored) return { run: () => processor.replay(stored, key, requestId), giveUpKey: noKey }
      const run = () => {
        const { response, executed } = execute()
        if (executed) keys.keep(keyed, { status: response.status, body: response.body, requestId }, now())
        return response
      }
      return { run, giveUpKey: () => keys.giveUp(keyed) }
    } catch (error) {
      const response = processor.refuse(error, requestId)
      return { run: () => response, giveUpKey: noKey }
    }
  }
}

const now = () => Math.floor(Date.now() / 1000)
