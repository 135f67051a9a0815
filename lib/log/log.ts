import { AsyncLocalStorage } from 'node:async_hooks'

/** What the log knows of the request that is being handled. */
interface RequestTrace {
  requestId: string | null
  /** What the request is about, for the line of the request itself. */
  subject: LoggedIds
}

/** Ids of our own that a request is about. No text of a caller is among them. */
export interface LoggedIds {
  user_id?: string
  purchase_id?: string
  checkout_id?: string
  price_id?: string
}

const traces = new AsyncLocalStorage<RequestTrace>()

/** Handles a request, or what follows from it in another Worker: whatever is logged meanwhile has its id. */
export const withRequestId = <Result>(requestId: string | null, handle: () => Result): Result =>
  traces.run({ requestId, subject: {} }, handle)

/** The id of the request that is being handled; null outside of one. */
export const currentRequestId = (): string | null => traces.getStore()?.requestId ?? null

/** Notes ids for the line of the request that is being handled. Does nothing outside of one. */
export function logSubject(ids: LoggedIds): void {
  const trace = traces.getStore()
  if (trace) Object.assign(trace.subject, ids)
}

/** The ids that were noted so far. */
export const loggedSubject = (): LoggedIds => traces.getStore()?.subject ?? {}

/**
 * Writes one line of JSON to Workers Logs, with the id of the request. Never give it a secret, an e-mail address or a body. Of a `cause`, which is an
 * error, it writes name, message and stack, and those of the causes behind it. E-mail addresses are removed from them,
 * since Postgres quotes the value that it refuses.
 */
export function log(level: 'info' | 'warn' | 'error', message: string, fields: Fields = {}): void {
  const { cause, ...rest } = fields
  const requestId = currentRequestId()
  console[level](
    JSON.stringify({
      level,
      message,
      ...(requestId !== null && { request_id: requestId }),
      ...rest,
      ...(cause !== undefined && { cause: describe(cause) }),
    }),
  )
}

type Fields = { cause?: unknown } & Record<string, unknown>

function describe(cause: unknown): unknown {
  if (!(cause instanceof Error)) return withoutAddresses(String(cause))
  const { name, message, stack = '' } = cause
  const [what, where] = [withoutAddresses(message), withoutAddresses(stack)]
  return { name, message: what, stack: where, ...(cause.cause === undefined ? {} : { cause: describe(cause.cause) }) }
}

const withoutAddresses = (text: string) => text.replace(/[\w.+-]+@[\w-]+(\.[\w-]+)+/g, '[e-mail]')
