import { AsyncLocalStorage } from 'node:async_hooks'

/** The context of log lines while a request is handled. */
interface RequestTrace {
  requestId: string | null
  /** For the line of the request itself. */
  subject: LoggedIds
}

/** Our own ids of what a request is about. Never a caller's text. */
export interface LoggedIds {
  paywall_id?: string
  user_id?: string
  purchase_id?: string
  checkout_id?: string
  price_id?: string
}

const traces = new AsyncLocalStorage<RequestTrace>()

/** Runs `handle` so that every line it logs has the request's id, including in another Worker that the request calls. */
export const withRequestId = <Result>(requestId: string | null, handle: () => Result): Result =>
  traces.run({ requestId, subject: {} }, handle)

/** The id of the current request; null in a cron. */
export const currentRequestId = (): string | null => traces.getStore()?.requestId ?? null

/** Adds ids to the log line of the current request. Does nothing in a cron. */
export function logSubject(ids: LoggedIds): void {
  const trace = traces.getStore()
  if (trace) Object.assign(trace.subject, ids)
}

export const loggedSubject = (): LoggedIds => traces.getStore()?.subject ?? {}

/**
 * Writes one line of JSON to Workers Logs, with the id of the request. Never pass a secret, an e-mail address or a body. For a `cause`, an
 * error, it writes name, message and stack, and those of its own causes. E-mail addresses are removed from them, since Postgres quotes the
 * value that it refuses.
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
  return {
    name,
    message: withoutAddresses(message),
    stack: withoutAddresses(stack),
    ...(cause.cause === undefined ? {} : { cause: describe(cause.cause) }),
  }
}

const withoutAddresses = (text: string) => text.replace(/[\w.+-]+@[\w-]+(\.[\w-]+)+/g, '[e-mail]')
