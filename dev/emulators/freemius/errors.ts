import type { Named } from '../core/domain/context.ts'
import { Refusal } from '../core/wire/emulator-error.ts'

/** An error in Freemius' format. */
export const freemiusError = (status: number, type: string, message: string, code: string) =>
  new Refusal(status, message, toBody(status, type, message, code))

export const unauthorized = () =>
  freemiusError(401, 'UnauthorizedAccess', 'Authorization header is missing or wrong.', 'unauthorized_access')

export const badRequest = (message: string) => freemiusError(400, 'InvalidArgument', message, 'invalid_argument')

/** Freemius answers 402 if an argument is missing. */
export const missingArgument = (name: string) =>
  freemiusError(402, 'ArgumentMissing', `The argument ${name} is missing.`, 'argument_missing')

/** Freemius' names of records. */
const KINDS: Partial<Record<Named | 'plans' | 'pricings', string>> = { pages: 'license', customers: 'user' }

export function noSuch(table: Named | 'plans' | 'pricings', id: string) {
  const kind = KINDS[table] ?? table.slice(0, -1)
  return freemiusError(404, 'EntityNotFound', `There is no ${kind} ${id}.`, `${kind}_not_found`)
}

export const errorBody = ({ status, message }: { status: number; message: string }) =>
  toBody(status, 'InternalServerError', message, 'internal_error')

const toBody = (status: number, type: string, message: string, code: string) => ({
  error: { type, message, code, http: status, timestamp: new Date().toUTCString().replace('GMT', '+0000') },
  request: {},
})
