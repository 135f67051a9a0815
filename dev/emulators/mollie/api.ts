import { createApi } from '../core/api.ts'
import { type ApiControls, failIfOrdered } from '../core/calls.ts'
import { type HttpRequest, header } from '../core/server.ts'
import type { State } from '../core/state.ts'
import type { AccountContext } from './account-context.ts'
import { type Account, idOfKey } from './accounts.ts'
import { MollieError } from './errors.ts'
import { fingerprint, KEY_RULES } from './idempotency.ts'
import { readJson } from './parameters.ts'
import type { Records } from './records.ts'
import { attempt, errorResponse, replay } from './responses.ts'
import { prepareCall } from './routes.ts'

interface Options {
  state: State<Records>
  accounts: () => Map<string, Account>
  openContext: (account: Account) => AccountContext
  controls: ApiControls
}

/** Mollie's API: authenticates a call, finds its route and runs it on the records. */
export function createMollieApi({ state, accounts, openContext, controls }: Options) {
  return createApi<unknown>({
    state,
    controls,
    keyRules: KEY_RULES,
    readBody: bodyOf,
    admit(request, { method, path }) {
      const account = authenticate(request)
      const execution = prepareCall(method, path, request)
      const run = () => {
        failIfOrdered(controls, path)
        return execution(openContext(account))
      }
      return {
        account: account.id,
        fingerprint: fingerprint(request.body),
        execute: () => attempt(method === 'POST' ? 201 : 200, run),
      }
    },
    refuse: errorResponse,
    replay,
  })

  function authenticate(request: HttpRequest): Account {
    const [scheme, apiKey = ''] = (header(request, 'authorization') ?? '').split(' ')
    const account = scheme === 'Bearer' ? accounts().get(idOfKey(apiKey)) : undefined
    if (!account) throw new MollieError(401, 'Missing authentication, or failed to authenticate')
    return account
  }
}

/** The body in the form in which the call is recorded: JSON, or the text itself if it is not JSON. */
function bodyOf({ body }: HttpRequest): unknown {
  try {
    return readJson(body)
  } catch {
    // The call is recorded in any case. It is refused when its route parses the body.
    return body
  }
}
