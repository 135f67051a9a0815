import { databaseFailure } from '../db/unavailable.ts'
import { allowOnly, createBaseApp, type RenderError } from '../http/base-app.ts'
import { ApiError } from '../http/errors.ts'
import { sharedErrors } from '../http/shared-errors.ts'
import { ProcessorError } from '../processors/processor.ts'

/** `Retry-After` of a call that failed because of the database or the processor, in seconds. */
const RETRY_AFTER_SECONDS = 2

/**
 * The Hono app of an endpoint: a base app that also handles failures of the database and of processors. `duplicateCode` is set by the
 * endpoint's contract; `renderError` is for endpoints that browsers open.
 */
const createApp = <Env extends object>(options: { duplicateCode?: boolean; renderError?: RenderError } = {}) =>
  createBaseApp<Env>({ failures: [databaseError, processorError], ...options })

/** 503 if the database cannot be reached or is overloaded. A statement that fails for any other reason is a bug. */
function databaseError(cause: Error): ApiError | null {
  if (databaseFailure(cause) === null) return null
  return new ApiError(sharedErrors.database_unavailable, { cause, retryAfter: RETRY_AFTER_SECONDS })
}

/** 502 for a processor's failure. A retry helps only if the processor did not respond. */
function processorError(cause: Error): ApiError | null {
  if (!(cause instanceof ProcessorError)) return null
  const again = cause.kind === 'unavailable' ? { retryAfter: cause.retryAfter ?? RETRY_AFTER_SECONDS } : {}
  return new ApiError(sharedErrors[`processor_${cause.kind}`], { cause, ...again })
}

export { allowOnly, createApp }
