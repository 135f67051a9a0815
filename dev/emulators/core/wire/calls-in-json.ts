import type { RecordedCall } from '../calls.ts'
import type { Execution } from '../processor.ts'
import type { HttpRequest } from '../server.ts'
import type { KeyRules } from './idempotency.ts'
import { readJson, readParameters } from './json-fields.ts'
import { type Mistake, parseWith } from './parse.ts'
import { prepareRoute, type Route } from './routes.ts'

/** A processor's errors for calls that it cannot run. */
interface Refusals {
  unknownPath(call: RecordedCall): Error
  notJson(body: string): Error
  mistake(mistake: Mistake, where: 'query' | 'body'): Error
}

/**
 * The part of an API with JSON bodies; GET and DELETE use the query. Parameters are parsed when the call runs, so that a mistake
 * counts as an error of the route itself. By default the API has no idempotency keys.
 */
export const callsInJson = (routes: Route[], refuse: Refusals) => ({
  ...NO_KEYS,
  // Invalid JSON is recorded as text, and refused when the route parses the body.
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

/** The part of an API without idempotency keys; its rules are never used. */
const NO_KEYS = {
  keyHeader: null,
  keyRules: {
    keptSeconds: 0,
    longestKey: 0,
    refuse: () => new Error('the processor has no idempotency keys'),
  } satisfies KeyRules,
  fingerprint: (body: string) => body,
}
