import { databaseFailure } from '../db/unavailable.ts'
import { allowOnly, createBaseApp, type RenderError } from '../http/base-app.ts'
import { ApiError } from '../http/errors.ts'
import { sharedErrors } from '../http/shared-errors.ts'
import { ProcessorError } from '../processors/processor.ts'

/** Seconds after which a call that failed because of the database or the processor may be tried again. */
const RETRY_AFTER_SECONDS = 2

/**
 * The Hono app of an endpoint: a base app that knows how to answer when the database or a processor fails. `duplicateCode` is
 * what the endpoint's contract says; `renderError` is for one that browsers show.
 */
const createApp = <Env extends object>(options: { duplicateCode?: boolean; renderError?: RenderError } = {}) =>
  createBaseApp<Env>({ failures: [databaseError, processorError], ...options })

/** 503 for a database that cannot be reached or is too busy. A statement that failed for any other reason is our mistake. */
function databaseError(cause: Error): ApiError | null {
  if (databaseFailure(cause) === null) return null
  return new ApiError(...sharedErrors.database_unavailable, { cause, retryAfter: RETRY_AFTER_SECONDS })
}

/** 502 for a processor. Only where it did not answer does it help to try again. */
function processorError(cause: Error): ApiError | null {
  if (!(cause instanceof ProcessorError)) return null
  const again = cause.kind === 'unavailable' ? { retryAfter: cause.retryAfter ?? RETRY_AFTER_SECONDS } : {}
  return new ApiError(...sharedErrors[`processor_${cause.kind}`], { cause, ...again })
}

export { allowOnly, createApp }
