import type { Table } from '../core/domain/records.ts'
import { EmulatorError } from '../core/wire/emulator-error.ts'

/** An error in Chargebee's shape: `code` is its `api_error_code`, `param` the parameter that is wrong. */
export class ChargebeeError extends EmulatorError {
  override name = 'ChargebeeError'
  readonly code: string
  readonly param: string | undefined

  constructor(status: number, code: string, message: string, param?: string) {
    super(status, message)
    this.code = code
    this.param = param
  }
}

export const wrongValue = (param: string, problem: string) =>
  new ChargebeeError(400, 'param_wrong_value', `${param} : ${problem}`, param)

/** Something that cannot be done in the state that things are in. */
export const wrongState = (message: string) => new ChargebeeError(400, 'invalid_state_for_request', message)

/** Chargebee answers 404 whether the path or a parameter names what does not exist. */
export const notFound = (what: string, param?: string) =>
  new ChargebeeError(404, 'resource_not_found', `${what} not found`, param)

export const noSuch = (table: Table, id: string, param?: string) => notFound(`${id} of ${table}`, param)

/** The codes of errors that are ordered by a test. */
const CODES: Record<number, string> = {
  401: 'api_authentication_failed',
  403: 'api_authorization_failed',
  404: 'resource_not_found',
  409: 'lock_timeout',
  429: 'api_request_limit_exceeded',
  503: 'internal_temporary_error',
}

export function errorBody(error: EmulatorError): object {
  const { status, message } = error
  const own = error instanceof ChargebeeError ? error : null
  const code = own?.code ?? CODES[status] ?? (status < 500 ? 'invalid_request' : 'internal_error')
  return {
    message,
    type: status < 500 ? 'invalid_request' : 'operation_failed',
    api_error_code: code,
    ...(own?.param !== undefined && { param: own.param, error_param: own.param }),
    error_code: code,
    error_msg: message,
    http_status_code: status,
  }
}
