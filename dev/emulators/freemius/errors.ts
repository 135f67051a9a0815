import type { Table } from '../core/domain/records.ts'
import { EmulatorError } from '../core/wire/emulator-error.ts'

/** An error in Freemius' shape. */
export class FreemiusError extends EmulatorError {
  override name = 'FreemiusError'
  readonly type: string
  readonly code: string

  constructor(status: number, type: string, message: string, code: string) {
    super(status, message)
    this.type = type
    this.code = code
  }
}

export const unauthorized = () =>
  new FreemiusError(401, 'UnauthorizedAccess', 'Authorization header is missing or wrong.', 'unauthorized_access')

export const badRequest = (message: string) => new FreemiusError(400, 'InvalidArgument', message, 'invalid_argument')

/** Freemius answers 402 to a call that lacks an argument. */
export const missingArgument = (name: string) =>
  new FreemiusError(402, 'ArgumentMissing', `The argument ${name} is missing.`, 'argument_missing')

/** Freemius' names for what the tables have. */
const KINDS: Partial<Record<Table, string>> = { pages: 'license', customers: 'user' }

export const noSuch = (table: Table | 'plans' | 'pricings', id: string) => notFound(nameOf(table), id)

const nameOf = (table: Table | 'plans' | 'pricings') =>
  (table === 'plans' || table === 'pricings' ? null : KINDS[table]) ?? table.slice(0, -1)

const notFound = (kind: string, id: string) =>
  new FreemiusError(404, 'EntityNotFound', `There is no ${kind} ${id}.`, `${kind}_not_found`)

/** The body of an error response. */
export const errorBody = (error: EmulatorError) => ({
  error: {
    type: error instanceof FreemiusError ? error.type : 'InternalServerError',
    message: error.message,
    code: error instanceof FreemiusError ? error.code : 'internal_error',
    http: error.status,
    timestamp: new Date().toUTCString().replace('GMT', '+0000'),
  },
  request: {},
})
