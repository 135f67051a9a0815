import type { Context, Handler, MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { routePath } from 'hono/route'
import { Hono } from 'hono/tiny'
import { databaseFailure } from '../db/unavailable.ts'
import { ProcessorError } from '../processors/processor.ts'
import { ApiError, type Words } from './errors.ts'
import { log } from './log.ts'
import { sharedWords } from './shared-words.ts'

/** What every 401 names (RFC 9110): the ways to say who calls. The second is the header `X-Api-Key`. */
const CHALLENGE = 'Bearer, ApiKey'

/** A Worker's Hono app: every answer is JSON, every request is one log line, what we did not expect is a bare 500. */
export function createApp<Env extends object>() {
  const app = new Hono<{ Bindings: Env }>()
  app.use(logRequest)
  app.notFound((c) => say(c, sharedWords.not_found))
  app.onError((error, c) => {
    if (error instanceof ApiError) {
      if (error.status >= 500)
        log('warn', error.error, { request_id: c.req.header('x-request-id'), cause: error.cause })
      if (error.retryAfter !== undefined) c.header('Retry-After', String(error.retryAfter))
      if (error.status === 401) c.header('WWW-Authenticate', CHALLENGE)
      return c.json(error.body, error.status)
    }
    if (error instanceof HTTPException) return c.json({ error: error.message }, error.status)
    if (error instanceof ProcessorError) {
      log('warn', 'a processor call failed', { request_id: c.req.header('x-request-id'), cause: error })
      if (error.kind === 'unavailable') c.header('Retry-After', '2')
      return say(c, sharedWords[`processor_${error.kind}`])
    }
    log('error', 'unexpected failure', { request_id: c.req.header('x-request-id'), cause: error })
    if (databaseFailure(error)) {
      c.header('Retry-After', '2')
      return say(c, sharedWords.database_unavailable)
    }
    return say(c, sharedWords.failed)
  })
  return app
}

/** The last route of a path: whatever was not handled used a method the path does not have. */
export function allowOnly(...methods: string[]): Handler {
  return (c) => {
    c.header('Allow', methods.join(', '))
    return say(c, sharedWords.method_not_allowed)
  }
}

const say = (c: Context, [status, error]: Words[string]) => c.json({ error }, status)

const logRequest: MiddlewareHandler = async function logRequest(c, next) {
  const startedAt = Date.now()
  await next()
  log('info', 'request', {
    request_id: c.req.header('x-request-id'),
    method: c.req.method,
    route: routePath(c, -1),
    status: c.res.status,
    milliseconds: Date.now() - startedAt,
  })
}
