import {
  type ApiControls,
  InjectedFailure,
  type PreparedCall,
  type RecordedCall,
  runCall,
  throwInjectedFailure,
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
import { RawResponse } from './raw-response.ts'
import { withUnknownValues } from './unknown-values.ts'

/*
 * The steps of an API call: record it; authenticate it and find its route; claim its idempotency key, or replay the response
 * stored under it; wait for a test's interceptor; run it; store the response under the key; save the records; send the
 * response.
 */

interface Options {
  processor: { name: string; api: Api<AnyPaywall, unknown> }
  state: State<Records>
  controls: ApiControls
  accounts: () => ReadonlyMap<string, Account<AnyPaywall>>
  openContext: (account: Account<AnyPaywall>, cause: Cause) => AccountContext
  /** Whether accounts have the processor's rate limit. */
  rateLimited: boolean
}

interface CallResult {
  response: HttpResponse
  /** Whether the response is stored under the call's idempotency key. */
  executed: boolean
}

/**
 * A processor's API. Idempotency keys apply to POST requests only. Resolves to null, for no response, if a test's interceptor
 * dropped the call.
 */
export function createApi({ processor: { name, api }, state, controls, accounts, openContext, rateLimited }: Options) {
  const count = api.rateLimit?.counter(rateLimited)
  const keys = idempotency(state.records.replies, api.keyRules)

  return function respond(request: HttpRequest): Promise<HttpResponse | null> {
    const { method, path } = request
    const idempotencyKey = method === 'POST' && api.keyHeader !== null ? header(request, api.keyHeader) : null
    const call: RecordedCall = { method, path, idempotencyKey, body: api.readBody(request), account: null }
    controls.calls.push(call)
    return runCall(call, prepare(request, call), { onCall: controls.onCall(), save: state.save })
  }

  function prepare(request: HttpRequest, call: RecordedCall): PreparedCall {
    const cause = { requestId: newId('req_', 7), idempotencyKey: call.idempotencyKey }
    const giveUpKey = () => {}
    try {
      const account = api.authenticate(request, accounts())
      call.account = account.id
      const wait = count?.(openContext(account, cause)) ?? null
      if (wait !== null) return { run: () => tooManyCalls(wait), giveUpKey }
      const execution = api.prepare(call, request)
      const execute = (): CallResult =>
        attempt(cause, call.method, () => {
          throwInjectedFailure(controls, call.path)
          const context = openContext(account, cause)
          const result = execution(context)
          return result instanceof RawResponse ? result : withUnknownValues(context, result)
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
      const headers = api.headers({ requestId, key, replayedRequestId: stored.requestId })
      return { run: () => ({ status: stored.status, headers, body: stored.body }), giveUpKey: () => {} }
    }
    const run = () => {
      const { response, executed } = execute()
      if (executed) keys.keep(keyed, { status: response.status, body: response.body, requestId }, now)
      return response
    }
    return { run, giveUpKey: () => keys.giveUp(keyed) }
  }

  function tooManyCalls(seconds: number): HttpResponse {
    const { headers = {}, body } = api.tooManyCalls?.() ?? { body: '' }
    return { status: 429, headers: { ...headers, 'Retry-After': String(seconds) }, body }
  }

  /** Runs a call and turns its errors into responses. */
  function attempt(cause: Cause, method: string, execute: () => object): CallResult {
    try {
      const result = execute()
      const response = result instanceof RawResponse ? result.response : json(cause, api.okStatus(method), result)
      return { response, executed: true }
    } catch (error) {
      return refusal(cause, error)
    }
  }

  function refusal(cause: Cause, error: unknown): CallResult {
    if (error instanceof EmulatorError) {
      const body = error instanceof Refusal ? error.body : api.errorBody(error)
      return { response: json(cause, error.status, body), executed: error.executed }
    }
    if (error instanceof InjectedFailure) {
      // An injected 5xx counts as an executed call, any other injected failure, such as a 429, as not executed.
      return { response: json(cause, error.status, error.body), executed: error.status >= 500 }
    }
    console.error(`${name} emulator: a call failed`, error)
    const unknown = new EmulatorError(500, 'An unknown error occurred in the emulator.')
    return { response: json(cause, 500, api.errorBody(unknown)), executed: true }
  }

  function json({ requestId, idempotencyKey: key }: Cause, status: number, body: unknown): HttpResponse {
    return {
      status,
      headers: api.headers({ requestId, key, replayedRequestId: null }),
      body: JSON.stringify(body, null, 2),
    }
  }
}
