import type { Table } from '../core/domain/records.ts'
import { EmulatorError } from '../core/wire/emulator-error.ts'

/** An error in Polar's shape: a name and a detail, which is a list of mistakes if it is about the request's fields. */
export class PolarError extends EmulatorError {
  override name = 'PolarError'
  readonly error: string | null
  readonly detail: string | Mistake[]

  constructor(status: number, error: string | null, detail: string | Mistake[]) {
    super(status, typeof detail === 'string' ? detail : (detail[0]?.msg ?? ''))
    this.error = error
    this.detail = detail
  }
}

export interface Mistake {
  type: string
  loc: (string | number)[]
  msg: string
  input?: unknown
}

export const errorBody = (error: EmulatorError) =>
  error instanceof PolarError
    ? { ...(error.error !== null && { error: error.error }), detail: error.detail }
    : { error: 'InternalServerError', detail: error.message }

export const invalid = (loc: Mistake['loc'], msg: string, input?: unknown, type = 'value_error') =>
  new PolarError(422, 'RequestValidationError', [{ type, loc, msg, input }])

export const forbidden = (error: string, detail: string) => new PolarError(403, error, detail)

/** A record that a path names is a 404; one that a parameter names is a mistake in it. */
export const noSuch = (table: Table, id: string, param?: string) =>
  param === undefined
    ? new PolarError(404, 'ResourceNotFound', 'Not found')
    : invalid(['body', param], `${table === 'customers' ? 'Customer' : 'Object'} does not exist.`, id)

export const alreadyCanceled = () =>
  forbidden('AlreadyCanceledSubscription', 'This subscription is already canceled or will be at the end of the period.')
