import { hash } from 'node:crypto'
import type { RecordedCall } from '../calls.ts'
import type { Execution } from '../processor.ts'
import type { HttpRequest } from '../server.ts'
import { decodeForm, type Form } from './form.ts'
import { type Mistake, parseWith } from './parse.ts'
import { prepareRoute, type Route } from './routes.ts'

/** What a processor answers to a call that it cannot run. */
interface Refusals {
  unknownPath(call: RecordedCall<Form>): Error
  mistake(mistake: Mistake): Error
}

/** The part of an API that takes forms, or queries. Mistakes in them are refused before anything has run. */
export const callsInForms = (routes: Route[], refuse: Refusals) => ({
  // Equal for the same parameters in any order.
  fingerprint: (form: string) => hash('sha256', JSON.stringify([...new URLSearchParams(form)].sort())),
  readBody: ({ body, query }: HttpRequest) => decodeForm(body || query),
  prepare(call: RecordedCall<Form>): Execution {
    const execution = prepareRoute(routes, call, (schema) => {
      const parameters = parseWith(schema, call.body, refuse.mistake)
      return () => parameters
    })
    if (!execution) throw refuse.unknownPath(call)
    return execution
  },
  okStatus: () => 200,
})
