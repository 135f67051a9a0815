import { STATUS_CODES } from 'node:http'
import type { Table } from '../core/domain/records.ts'
import { Refusal } from '../core/wire/emulator-error.ts'
import type { Mistake } from '../core/wire/parse.ts'

/** An error in Mollie's format. `field`: the wrong field of the body. */
export const mollieError = (status: number, message: string, field?: string) =>
  new Refusal(status, message, errorBody({ status, message }, field))

export const unprocessable = (detail: string, field?: string) => mollieError(422, detail, field)

export const noSuch = (table: Table, id: string) =>
  mollieError(404, `No ${table.slice(0, -1)} exists with token ${id}.`)

export function errorBody({ status, message: detail }: { status: number; message: string }, field?: string): object {
  const title = status === 401 ? 'Unauthorized Request' : (STATUS_CODES[status] ?? 'Error')
  const documentation = { href: 'https://docs.mollie.com/overview/handling-errors', type: 'text/html' }
  return { status, title, detail, ...(field !== undefined && { field }), _links: { documentation } }
}

/** Mollie answers 400 to a mistake in the query. */
export const wrongQuery = ({ path, message }: Mistake) =>
  mollieError(400, `Invalid query parameters: ${message} (${path.join('.')})`)

/** Mollie answers 422 to a mistake in the body. */
export function wrongBody({ path, problem, message, code }: Mistake) {
  const field = path.join('.')
  if (problem === 'unknown') return unprocessable(`Non-existent body parameter "${field}" for this API call.`, field)
  const text = code === 'custom' ? message : `The ${field} is invalid: ${message}`
  return unprocessable(text, field === '' ? undefined : field)
}
