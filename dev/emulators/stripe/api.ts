import { accountId } from '../accounts.ts'
import { type ApiControls, type Arrival, failIfOrdered, pass, type RecordedCall } from '../calls.ts'
import { idempotency, type KeyedRequest } from '../idempotency.ts'
import { newId } from '../new-record.ts'
import { type Answer, type HttpRequest, header } from '../server.ts'
import type { State } from '../state.ts'
import { ACCOUNT_PREFIX, type Account } from './accounts.ts'
import { attempt, errorAnswer, type Outcome, replay } from './answers.ts'
import { StripeError } from './errors.ts'
import { decodeForm, type Form } from './form.ts'
import { fingerprint, KEY_RULES } from './idempotency.ts'
import type { Ledger } from './ledger.ts'
import { API_VERSION } from './objects/event.ts'
import type { Records } from './records.ts'
import { type Execution, prepareCall } from './routes.ts'

/** A call to Stripe. `body` is the form decoded, of the query string where there is no body. */
export type StripeCall = RecordedCall<Form>

interface ApiOptions {
  state: State<Records>
  accounts: () => Map<string, Account>
  openLedger: (account: Account, request: { id: string; idempotency_key: string | null }) => Ledger
  controls: ApiControls<Form>
}

/** Stripe's API over the records: null where a test's hook dropped the call. */
export function createApi({ state, accounts, openLedger, controls }: ApiOptions) {
  const keys = idempotency(state.records.replies, KEY_RULES)

  return function api(request: HttpRequest): Promise<Answer | null> {
    const call = {
      method: request.method,
      path: request.path,
      idempotencyKey: request.method === 'POST' ? header(request, 'idempotency-key') : null,
      body: decodeForm(request.body || request.query),
    }
    controls.calls.push(call)
    return pass(call, arrive(request, call, newId('req_', 7)), { onCall: controls.onCall(), save: state.save })
  }

  function arrive(request: HttpRequest, call: StripeCall, requestId: string): Arrival {
    const key = call.idempotencyKey
    const stay = () => {}
    try {
      const account = authenticate(request)
      checkVersion(request)
      const execution = prepareCall(call.method, call.path, call.body)
      const execute = () => attempt(requestId, () => runCall(account, execution, call, requestId))
      if (key === null) return { run: () => execute().answer, leave: stay }

      const keyed = { account: account.id, key, path: call.path, fingerprint: fingerprint(request.body) }
      const stored = keys.claim(keyed, now())
      if (stored) return { run: () => replay(stored, key, requestId), leave: stay }
      return { run: () => keepReply(keyed, execute(), requestId), leave: () => keys.release(keyed) }
    } catch (error) {
      return { run: () => errorAnswer(error, requestId).answer, leave: stay }
    }
  }

  function runCall(account: Account, execution: Execution, call: StripeCall, requestId: string): object {
    failIfOrdered(controls, call.path)
    return execution(openLedger(account, { id: requestId, idempotency_key: call.idempotencyKey }))
  }

  function keepReply(keyed: KeyedRequest, { answer, executed }: Outcome, requestId: string): Answer {
    const { status, body } = answer
    if (executed) keys.keep(keyed, { status, body, requestId }, now())
    return { ...answer, headers: { ...answer.headers, 'Idempotency-Key': keyed.key } }
  }

  function authenticate(request: HttpRequest): Account {
    const secretKey = secretKeyOf(header(request, 'authorization'))
    if (!secretKey) {
      throw unauthorized(
        "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
      )
    }
    const account = accounts().get(accountId(ACCOUNT_PREFIX, secretKey))
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

const now = () => Math.floor(Date.now() / 1000)
