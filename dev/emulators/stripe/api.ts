import { accountId } from '../core/accounts.ts'
import { createApi, type Outcome } from '../core/api.ts'
import { type ApiControls, failIfOrdered, type RecordedCall } from '../core/calls.ts'
import { type HttpRequest, header } from '../core/server.ts'
import type { State } from '../core/state.ts'
import type { AccountContext } from './account-context.ts'
import { ACCOUNT_PREFIX, type Account } from './accounts.ts'
import { StripeError } from './errors.ts'
import { decodeForm, type Form } from './form.ts'
import { fingerprint, KEY_RULES } from './idempotency.ts'
import { API_VERSION } from './objects/event.ts'
import type { Records } from './records.ts'
import { attempt, errorResponse, replay } from './responses.ts'
import { prepareCall } from './routes.ts'

/** A call to Stripe. `body` is the decoded form; without a body, the decoded query string. */
export type StripeCall = RecordedCall<Form>

interface Options {
  state: State<Records>
  accounts: () => Map<string, Account>
  openContext: (account: Account, request: { id: string; idempotency_key: string | null }) => AccountContext
  controls: ApiControls<Form>
}

/** Stripe's API: authenticates a call, checks its version and parameters, and runs its route on the records. */
export function createStripeApi({ state, accounts, openContext, controls }: Options) {
  return createApi<Form>({
    state,
    controls,
    keyRules: KEY_RULES,
    readBody: (request) => decodeForm(request.body || request.query),
    admit(request, call, requestId) {
      const account = authenticate(request)
      checkVersion(request)
      const execution = prepareCall(call.method, call.path, call.body)
      const run = () => {
        failIfOrdered(controls, call.path)
        return execution(openContext(account, { id: requestId, idempotency_key: call.idempotencyKey }))
      }
      const execute = () => echoKey(attempt(requestId, run), call.idempotencyKey)
      return { account: account.id, fingerprint: fingerprint(request.body), execute }
    },
    refuse: (error, requestId) => errorResponse(error, requestId).response,
    replay,
  })

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

function echoKey({ response, executed }: Outcome, key: string | null): Outcome {
  if (key === null) return { response, executed }
  return { response: { ...response, headers: { ...response.headers, 'Idempotency-Key': key } }, executed }
}
