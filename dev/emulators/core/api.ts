import { type ApiControls, type Arrival, pass, type RecordedCall } from './calls.ts'
import { idempotency, type KeyRules, type StoredReply } from './idempotency.ts'
import { newId } from './new-record.ts'
import { type Answer, type HttpRequest, header } from './server.ts'
import type { State } from './state.ts'
import type { ReplyRecord } from './tables.ts'

export interface Outcome {
  answer: Answer
  /** Whether an idempotency key keeps it. */
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
  /** The body as the call is recorded with. */
  readBody: (request: HttpRequest) => Body
  /** Throws what is refused before anything has run. */
  admit: (request: HttpRequest, call: RecordedCall<Body>, requestId: string) => Admitted
  /** The answer to what `admit` threw. */
  refuse: (error: unknown, requestId: string) => Answer
  /** A stored reply, marked as the processor marks it. */
  replay: (stored: StoredReply, key: string, requestId: string) => Answer
}

/**
 * A processor's API, which looks at the idempotency keys of POST requests only: null where a test's hook dropped the
 * call.
 */
export function createApi<Body>({ state, controls, ...processor }: ApiOptions<Body>) {
  const keys = idempotency(state.records.replies, processor.keyRules)

  return function api(request: HttpRequest): Promise<Answer | null> {
    const { method, path } = request
    const idempotencyKey = method === 'POST' ? header(request, 'idempotency-key') : null
    const call = { method, path, idempotencyKey, body: processor.readBody(request) }
    controls.calls.push(call)
    return pass(call, arrive(request, call, newId('req_', 7)), { onCall: controls.onCall(), save: state.save })
  }

  function arrive(request: HttpRequest, call: RecordedCall<Body>, requestId: string): Arrival {
    const key = call.idempotencyKey
    const stay = () => {}
    try {
      const { account, fingerprint, execute } = processor.admit(request, call, requestId)
      if (key === null) return { run: () => execute().answer, leave: stay }

      const keyed = { account, key, path: call.path, fingerprint }
      const stored = keys.claim(keyed, now())
      if (stored) return { run: () => processor.replay(stored, key, requestId), leave: stay }
      const run = () => {
        const { answer, executed } = execute()
        if (executed) keys.keep(keyed, { status: answer.status, body: answer.body, requestId }, now())
        return answer
      }
      return { run, leave: () => keys.release(keyed) }
    } catch (error) {
      const answer = processor.refuse(error, requestId)
      return { run: () => answer, leave: stay }
    }
  }
}

const now = () => Math.floor(Date.now() / 1000)
