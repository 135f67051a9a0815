import type { Table } from '../core/domain/records.ts'
import { Refusal } from '../core/wire/emulator-error.ts'

/** An error in Polar's format: a name and a detail, which is a list of mistakes for invalid fields. */
export const polarError = (status: number, error: string | null, detail: string | Mistake[]) =>
  new Refusal(status, typeof detail === 'string' ? detail : (detail[0]?.msg ?? ''), toBody(error, detail))

export interface Mistake {
  type: string
  loc: (string | number)[]
  msg: string
  input?: unknown
}

/** The names of injected errors by status. */
const NAMES: Record<number, string> = {
  401: 'Unauthorized',
  403: 'NotPermitted',
  404: 'ResourceNotFound',
  409: 'SubscriptionLocked',
  422: 'RequestValidationError',
}

export const errorBody = ({ status, message }: { status: number; message: string }) =>
  toBody(NAMES[status] ?? 'InternalServerError', message)

const toBody = (error: string | null, detail: string | Mistake[]) => ({ ...(error !== null && { error }), detail })

export const invalid = (loc: Mistake['loc'], msg: string, input?: unknown, type = 'value_error') =>
  polarError(422, 'RequestValidationError', [{ type, loc, msg, input }])

export const forbidden = (error: string, detail: string) => polarError(403, error, detail)

/** An unknown record is a 404 in the path, and an invalid field in a parameter. */
export const noSuch = (table: Table, id: string, param?: string) =>
  param === undefined
    ? polarError(404, 'ResourceNotFound', 'Not found')
    : invalid(['body', param], `${table === 'customers' ? 'Customer' : 'Object'} does not exist.`, id)

export const alreadyCanceled = () =>
  forbidden('AlreadyCanceledSubscription', 'This subscription is already canceled or will be at the end of the period.')

/** `PaymentFailed` in server/polar/order/service.py. */
export const paymentFailed = () => polarError(402, 'PaymentFailed', 'Payment failed with reason: card_error.')
