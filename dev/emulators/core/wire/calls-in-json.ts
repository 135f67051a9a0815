import type { RecordedCall } from '../calls.ts'
import type { Execution } from '../processor.ts'
import type { HttpRequest } from '../server.ts'
import { readJson, readParameters } from './json-fields.ts'
import { NO_KEYS } from './no-keys.ts'
import { type Mistake, parseWith } from './parse.ts'
import { prepareRoute, type Route } from './routes.ts'

/** What a processor answers to a call that it cannot run. */
interface Refusals {
  unknownPath(call: RecordedCall): Error
  notJson(body: string): Error
  mistake(mistake: Mistake, where: 'query' | 'body'): Error
}

/**
 * The part of an API that takes JSON: what a call has is in its body, of a GET and a DELETE in the query. It is parsed when the
 * call runs, so that a mistake counts as found by the route itself. Without rules of its own the API has no idempotency keys.
 */
export const callsInJson = (routes: Route[], refuse: Refusals) => ({
  ...NO_KEYS,
  // The call is recorded in any case. One that is no JSON is refused when its route parses the body.
  readBody: ({ body, query }: HttpRequest): unknown => (body === '' ? readParameters(query) : (readJson(body) ?? body)),
  prepare(call: RecordedCall, { method, query, body }: HttpRequest): Execution {
    const execution = prepareRoute(routes, call, (schema) => () => {
      const where = method === 'GET' || method === 'DELETE' ? 'query' : 'body'
      const given = where === 'query' ? readParameters(query) : readJson(body)
      if (given === undefined) throw refuse.notJson(body)
      return parseWith(schema, given, (mistake) => refuse.mistake(mistake, where))
    })
    if (!execution) throw refuse.unknownPath(call)
    return execution
  },
  okStatus: (method: string) => (method === 'POST' ? 201 : 200),
  headers: () => ({ 'Content-Type': 'application/json' }),
})
