import type { Named } from '../core/domain/context.ts'
import { Refusal } from '../core/wire/emulator-error.ts'

/** An error in Chargebee's format. `code`: its `api_error_code`; `param`: the wrong parameter. */
export const chargebeeError = (status: number, code: string, message: string, param?: string) =>
  new Refusal(status, message, toBody(status, code, message, param))

export const wrongValue = (param: string, problem: string) =>
  chargebeeError(400, 'param_wrong_value', `${param} : ${problem}`, param)

/** An operation that is not possible in the current state. */
export const wrongState = (message: string) => chargebeeError(400, 'invalid_state_for_request', message)

/** Chargebee answers 404 for unknown objects, whether the path or a parameter names them. */
export const notFound = (what: string, param?: string) =>
  chargebeeError(404, 'resource_not_found', `${what} not found`, param)

export const noSuch = (table: Named, id: string, param?: string) => notFound(`${id} of ${table}`, param)

/** The codes of injected errors. */
const CODES: Record<number, string> = {
  401: 'api_authentication_failed',
  403: 'api_authorization_failed',
  404: 'resource_not_found',
  409: 'lock_timeout',
  429: 'api_request_limit_exceeded',
  503: 'internal_temporary_error',
}

export const errorBody = ({ status, message }: { status: number; message: string }) =>
  toBody(status, CODES[status] ?? (status < 500 ? 'invalid_request' : 'internal_error'), message)

/** A charge that the gateway has declined (apidocs.chargebee.com/docs/api/error-handling, "Sample error response 2"). */
export function paymentError(what: string) {
  const message = `${what} as we are not able to collect the amount from your card on file. Error message: (card_declined) Your card was declined.`
  const about = { type: 'payment', error_cause_id: 'gateway.general.decline' }
  return new Refusal(400, message, { ...toBody(400, 'payment_processing_failed', message), ...about })
}

const toBody = (status: number, code: string, message: string, param?: string) => ({
  message,
  type: status < 500 ? 'invalid_request' : 'operation_failed',
  api_error_code: code,
  ...(param !== undefined && { param, error_param: param }),
  error_code: code,
  error_msg: message,
  http_status_code: status,
})
