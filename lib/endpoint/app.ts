import { databaseFailure } from '../db/unavailable.ts'
import { allowOnly, createBaseApp, type Say } from '../http/base-app.ts'
import { ApiError } from '../http/errors.ts'
import { sharedWords } from '../http/shared-words.ts'
import { ProcessorError } from '../processors/processor.ts'

/** Seconds after which a call that failed because of the database or the processor may be tried again. */
const RETRY_AFTER_SECONDS = 2

/**
 * The Hono app of an endpoint: a base app that knows how to answer when the database or a processor fails. `saysCode` is
 * what the endpoint's contract says; `say` is for one that browsers show.
 */
const createApp = <Env extends object>(options: { saysCode?: boolean; say?: Say } = {}) =>
  createBaseApp<Env>({ failures: [answerForDatabase, answerForProcessor], ...options })

/** 503 for a database that cannot be reached or is too busy. A statement that failed for any other reason is our mistake. */
function answerForDatabase(cause: Error): ApiError | null {
  if (databaseFailure(cause) === null) return null
  return new ApiError(...sharedWords.database_unavailable, { cause, retryAfter: RETRY_AFTER_SECONDS })
}

/** 502 for a processor. Only where it did not answer does it help to try again. */
function answerForProcessor(cause: Error): ApiError | null {
  if (!(cause instanceof ProcessorError)) return null
  const again = cause.kind === 'unavailable' ? { retryAfter: cause.retryAfter ?? RETRY_AFTER_SECONDS } : {}
  return new ApiError(...sharedWords[`processor_${cause.kind}`], { cause, ...again })
}

export { allowOnly, createApp }
