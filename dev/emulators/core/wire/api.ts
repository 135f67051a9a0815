import {
  type ApiControls,
  failIfOrdered,
  OrderedFailure,
  type PreparedCall,
  type RecordedCall,
  runCall,
} from '../calls.ts'
import type { Account, AnyPaywall } from '../domain/accounts.ts'
import type { AccountContext, Cause } from '../domain/context.ts'
import type { Records } from '../domain/records.ts'
import { newId } from '../domain/tables.ts'
import type { Api } from '../processor.ts'
import { type HttpRequest, type HttpResponse, header } from '../server.ts'
import type { State } from '../state.ts'
import { EmulatorError, Refusal } from './emulator-error.ts'
import { idempotency } from './idempotency.ts'
import { withUnknownValues } from './unknown-values.ts'

/*
 * A call to a processor's API, step by step: it is recorded; the processor authenticates it and finds its route; if it
 * has an idempotency key, that is claimed, and a key that was used before gets its stored response again; the
 * interceptor that a test may have set decides when the call runs; it runs; its response is stored under the key; the
 * records are saved; the response goes out.
 */

interface Options<Paywall extends AnyPaywall, Body> {
  processor: { name: string; api: Api<Paywall, Body> }
  state: State<Records>
  controls: ApiControls<Body>
  accounts: () => ReadonlyMap<string, Account<Paywall>>
  openContext: (account: Account<Paywall>, cause: Cause) => AccountContext
  /** Whether accounts have the processor's limit of calls. */
  rateLimited: boolean
}

interface CallResult {
  response: HttpResponse
  /** Whether the response is stored under the call's idempotency key. */
  executed: boolean
}

/**
 * A processor's API. Idempotency keys count on POST requests only. Resolves to null if a test's interceptor dropped the
 * call: then there is no response.
 */
export function createApi<Paywall extends AnyPaywall, Body>({
  processor: { name, api },
  state,
  controls,
  accounts,
  openContext,
  rateLimited,
}: Options<Paywall, Body>) {
  const count = api.rateLimit?.counter(rateLimited)
  const keys = idempotency(state.records.replies, api.keyRules)

  return function answer(request: HttpRequest): Promise<HttpResponse | null> {
    const { method, path } = request
    const idempotencyKey = method === 'POST' && api.keyHeader !== null ? header(request, api.keyHeader) : null
    const call: RecordedCall<Body> = { method, path, idempotencyKey, body: api.readBody(request), account: null }
    controls.calls.push(call)
    return runCall(call, prepare(request, call), { onCall: controls.onCall(), save: state.save })
  }

  function prepare(request: HttpRequest, call: RecordedCall<Body>): PreparedCall {
    const cause = { requestId: newId('req_', 7), idempotencyKey: call.idempotencyKey }
    const giveUpKey = () => {}
    try {
      const account = api.authenticate(request, accounts())
      call.account = account.id
      const wait = count?.(openContext(account, cause)) ?? null
      if (wait !== null) return { run: () => tooMany(wait), giveUpKey }
      const execution = api.prepare(call, request)
      const execute = (): CallResult =>
        attempt(cause, call.method, () => {
          failIfOrdered(controls, call.path)
          const context = openContext(account, cause)
          return withUnknownValues(context, execution(context))
        })
      if (cause.idempotencyKey === null) return { run: () => execute().response, giveUpKey }
      const { now } = openContext(account, cause)
      return underKey(
        { account: account.id, now },
        { ...cause, idempotencyKey: cause.idempotencyKey },
        request,
        execute,
      )
    } catch (error) {
      const { response } = refusal({ ...cause, idempotencyKey: null }, error)
      return { run: () => response, giveUpKey }
    }
  }

  function underKey(
    { account, now }: { account: string; now: number },
    { requestId, idempotencyKey: key }: Cause & { idempotencyKey: string },
    { path, body }: HttpRequest,
    execute: () => CallResult,
  ): PreparedCall {
    const keyed = { account, key, path, fingerprint: api.fingerprint(body) }
    const stored = keys.claim(keyed, now)
    if (stored) {
      const headers = api.headers({ requestId, key, replayOf: stored.requestId })
      return { run: () => ({ status: stored.status, headers, body: stored.body }), giveUpKey: () => {} }
    }
    const run = () => {
      const { response, executed } = execute()
      if (executed) keys.keep(keyed, { status: response.status, body: response.body, requestId }, now)
      return response
    }
    return { run, giveUpKey: () => keys.giveUp(keyed) }
  }

  function tooMany(seconds: number): HttpResponse {
    const { headers = {}, body } = api.tooManyCalls?.() ?? { body: '' }
    return { status: 429, headers: { ...headers, 'Retry-After': String(seconds) }, body }
  }

  /** Runs a call; what it throws becomes an error response. */
  function attempt(cause: Cause, method: string, execute: () => object): CallResult {
    try {
      return { response: json(cause, api.okStatus(method), execute()), executed: true }
    } catch (error) {
      return refusal(cause, error)
    }
  }

  function refusal(cause: Cause, error: unknown): CallResult {
    if (error instanceof EmulatorError) {
      const body = error instanceof Refusal ? error.body : api.errorBody(error)
      return { response: json(cause, error.status, body), executed: error.executed }
    }
    if (error instanceof OrderedFailure) {
      // An ordered 5xx counts as of a call that ran. Any other ordered failure, such as a 429, did not run.
      return { response: json(cause, error.status, error.body), executed: error.status >= 500 }
    }
    console.error(`${name} emulator: a call failed`, error)
    const unknown = new EmulatorError(500, 'An unknown error occurred in the emulator.')
    return { response: json(cause, 500, api.errorBody(unknown)), executed: true }
  }

  function json({ requestId, idempotencyKey: key }: Cause, status: number, body: unknown): HttpResponse {
    return { status, headers: api.headers({ requestId, key, replayOf: null }), body: JSON.stringify(body, null, 2) }
  }
}
