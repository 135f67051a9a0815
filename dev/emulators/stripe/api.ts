import { type Account, accountId } from './accounts.ts'
import { attempt, errorAnswer, OrderedFailure, type Outcome, replay } from './answers.ts'
import { StripeError } from './errors.ts'
import { decodeForm, type Form } from './form.ts'
import { idempotency, type KeyedRequest } from './idempotency.ts'
import { type Ledger, newId } from './ledger.ts'
import { API_VERSION } from './objects/event.ts'
import { type Execution, prepareCall } from './routes.ts'
import type { Answer, HttpRequest } from './server.ts'
import type { State } from './state.ts'

/** A call as it arrived. `body` is the form decoded, of the query string where there is no body. */
export interface RecordedCall {
  method: string
  path: string
  idempotencyKey: string | null
  body: Form
}

/** Thrown by an `onCall` hook to hang up: before `run` the call never takes effect, after it the answer is lost. */
export class DroppedCall extends Error {
  override name = 'DroppedCall'
}

export interface ApiControls {
  calls: RecordedCall[]
  /** The hook of the moment: it stands between a call and its effect, and calls `run` at most once. */
  onCall: () => ((call: RecordedCall, run: () => Promise<Answer>) => Promise<Answer>) | undefined
  /** Answers that the next calls to a path get instead of being run. */
  failures: { path: string; status: number; body: unknown }[]
}

interface ApiOptions {
  state: State
  accounts: () => Map<string, Account>
  openLedger: (account: Account, request: { id: string; idempotency_key: string | null }) => Ledger
  controls: ApiControls
}

/** A call between its arrival and its effect. */
interface Arrival {
  run: () => Answer
  /** To be called when it is over, run or not. */
  leave: () => void
}

/** Stripe's API over the records: null where a test's hook dropped the call. */
export function createApi({ state, accounts, openLedger, controls }: ApiOptions) {
  const keys = idempotency(state.records.replies)

  return async function api(request: HttpRequest): Promise<Answer | null> {
    const key = request.method === 'POST' ? header(request, 'idempotency-key') : null
    const call = {
      method: request.method,
      path: request.path,
      idempotencyKey: key,
      body: decodeForm(request.body || request.query),
    }
    controls.calls.push(call)
    const arrival = arrive(request, call, newId('req_', 7))
    const run = async () => {
      const answer = arrival.run()
      await state.save()
      return answer
    }
    try {
      const hook = controls.onCall()
      return await (hook ? hook(call, run) : run())
    } catch (error) {
      if (error instanceof DroppedCall) return null
      throw error
    } finally {
      arrival.leave()
    }
  }

  function arrive(request: HttpRequest, call: RecordedCall, requestId: string): Arrival {
    const key = call.idempotencyKey
    const stay = () => {}
    try {
      const account = authenticate(request)
      checkVersion(request)
      const execution = prepareCall(call.method, call.path, call.body)
      const execute = () => attempt(requestId, () => runCall(account, execution, call, requestId))
      if (key === null) return { run: () => execute().answer, leave: stay }

      const keyed = { account: account.id, key, path: call.path, body: request.body }
      const stored = keys.claim(keyed)
      if (stored) return { run: () => replay(stored, key, requestId), leave: stay }
      return { run: () => keepReply(keyed, execute(), requestId), leave: () => keys.release(keyed) }
    } catch (error) {
      return { run: () => errorAnswer(error, requestId).answer, leave: stay }
    }
  }

  function runCall(account: Account, execution: Execution, call: RecordedCall, requestId: string): object {
    const index = controls.failures.findIndex(({ path }) => path === call.path)
    const [failure] = index < 0 ? [] : controls.failures.splice(index, 1)
    if (failure) throw new OrderedFailure(failure.status, failure.body)
    return execution(openLedger(account, { id: requestId, idempotency_key: call.idempotencyKey }))
  }

  function keepReply(keyed: KeyedRequest, { answer, executed }: Outcome, requestId: string): Answer {
    const { status, body } = answer
    if (executed) keys.keep(keyed, { status, body, requestId }, Math.floor(Date.now() / 1000))
    return { ...answer, headers: { ...answer.headers, 'Idempotency-Key': keyed.key } }
  }

  function authenticate(request: HttpRequest): Account {
    const secretKey = secretKeyOf(header(request, 'authorization'))
    if (!secretKey) {
      throw unauthorized(
        "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
      )
    }
    const account = accounts().get(accountId(secretKey))
    if (!account) throw unauthorized(`Invalid API Key provided: ${secretKey.slice(0, 8)}****${secretKey.slice(-4)}`)
    return account
  }
}

function checkVersion(request: HttpRequest): void {
  const version = header(request, 'stripe-version')
  if (version === null || version === API_VERSION) return
  const message = `Invalid Stripe API version: ${version}. The emulator speaks ${API_VERSION}.`
  throw new StripeError(400, { type: 'invalid_request_error', message }, false)
}

const unauthorized = (message: string) => new StripeError(401, { type: 'invalid_request_error', message }, false)

/** Stripe takes the key as a Bearer token or as the user name of Basic authentication. */
function secretKeyOf(authorization: string | null): string | undefined {
  const [scheme, value = ''] = (authorization ?? '').split(' ')
  if (scheme === 'Bearer') return value
  if (scheme === 'Basic') return Buffer.from(value, 'base64').toString().split(':')[0]
  return undefined
}

function header(request: HttpRequest, name: string): string | null {
  const value = request.headers[name]
  return (Array.isArray(value) ? value[0] : value) || null
}
