import { hash } from 'node:crypto'
import { createApi } from '../core/api.ts'
import { type ApiControls, failIfOrdered } from '../core/calls.ts'
import { type HttpRequest, header } from '../core/server.ts'
import type { State } from '../core/state.ts'
import type { Ledger } from './account-context.ts'
import { type Account, idOfKey } from './accounts.ts'
import { MollieError } from './errors.ts'
import { readJson } from './parameters.ts'
import type { Records } from './records.ts'
import { attempt, errorAnswer, KEY_RULES, replay } from './responses.ts'
import { prepareCall } from './routes.ts'

interface Options {
  state: State<Records>
  accounts: () => Map<string, Account>
  openLedger: (account: Account) => Ledger
  controls: ApiControls
}

/** Mollie's API over the records. */
export function createMollieApi({ state, accounts, openLedger, controls }: Options) {
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
        return execution(openLedger(account))
      }
      return {
        account: account.id,
        fingerprint: hash('sha256', request.body),
        execute: () => attempt(method === 'POST' ? 201 : 200, run),
      }
    },
    refuse: errorAnswer,
    replay,
  })

  function authenticate(request: HttpRequest): Account {
    const [scheme, apiKey = ''] = (header(request, 'authorization') ?? '').split(' ')
    const account = scheme === 'Bearer' ? accounts().get(idOfKey(apiKey)) : undefined
    if (!account) throw new MollieError(401, 'Missing authentication, or failed to authenticate')
    return account
  }
}

/** As it is recorded: what is no JSON is the text that came. */
function bodyOf({ body }: HttpRequest): unknown {
  try {
    return readJson(body)
  } catch {
    // It is recorded all the same; the route refuses it.
    return body
  }
}
