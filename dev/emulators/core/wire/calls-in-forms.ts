import { hash } from 'node:crypto'
import type { RecordedCall } from '../calls.ts'
import type { Execution } from '../processor.ts'
import type { HttpRequest } from '../server.ts'
import { decodeForm, type Form } from './form.ts'
import { type Mistake, parseWith } from './parse.ts'
import { prepareRoute, type Route } from './routes.ts'

/** A processor's errors for calls that it cannot run. */
interface Refusals {
  unknownPath(call: RecordedCall<Form>): Error
  mistake(mistake: Mistake): Error
}

/** The part of an API with form-encoded bodies or queries. Invalid parameters are refused before anything runs. */
export const callsInForms = (routes: Route[], refuse: Refusals) => ({
  // The order of parameters does not matter.
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
