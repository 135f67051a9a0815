import { STATUS_CODES } from 'node:http'
import type { Table } from '../core/domain/records.ts'
import { EmulatorError } from '../core/wire/emulator-error.ts'

/** An error in Mollie's shape. `field` names the part of the body that is wrong. */
export class MollieError extends EmulatorError {
  override name = 'MollieError'
  readonly field: string | null

  constructor(status: number, detail: string, field: string | null = null) {
    super(status, detail)
    this.field = field
  }
}

export const unprocessable = (detail: string, field?: string) => new MollieError(422, detail, field)

export const noSuch = (table: Table, id: string) =>
  new MollieError(404, `No ${table.slice(0, -1)} exists with token ${id}.`)

/** The body of an error response. */
export function errorBody(error: EmulatorError): object {
  const { status, message: detail } = error
  const title = status === 401 ? 'Unauthorized Request' : (STATUS_CODES[status] ?? 'Error')
  const documentation = { href: 'https://docs.mollie.com/overview/handling-errors', type: 'text/html' }
  const field = error instanceof MollieError ? error.field : null
  return { status, title, detail, ...(field !== null && { field }), _links: { documentation } }
}
