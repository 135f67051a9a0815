import type { Context, Handler, MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { Hono } from 'hono/tiny'
import { log, loggedSubject, withRequestId } from '../log/log.ts'
import { ApiError, apiError } from './errors.ts'
import { loggablePaywallId } from './paywall-target.ts'
import { addCommonHeaders } from './response-headers.ts'
import { loggedSdkVersion } from './sdk-version.ts'
import { sharedErrors } from './shared-errors.ts'

/** The authentication schemes, which every 401 must name (RFC 9110). `ApiKey` stands for the header `X-Api-Key`. */
const CHALLENGE = 'Bearer, ApiKey'

/** Converts a failure of a dependency to an API error; null for any other error. */
type ToApiError = (error: Error) => ApiError | null

/** Renders an error for clients that do not read JSON; null for those that do. Status and headers are those of the response. */
export type RenderError = (c: Context, refusal: ApiError) => Promise<Response | null>

interface RequestVariables {
  /** Whether each error has its code twice: as `error`, and as `code`. */
  duplicateCode?: boolean
  renderError?: RenderError
}

/**
 * A Hono app without database and processors. Every response has a request id and the common headers, errors are JSON unless the app has a
 * `renderError` of its own, and every request is logged in one line. An error that is neither an `ApiError` nor one of `failures` is a bug:
 * it is logged, and the caller gets a generic 500.
 */
export function createBaseApp<Env extends object>({
  failures = [],
  duplicateCode = false,
  renderError,
}: AppOptions = {}) {
  const app = new Hono<{ Bindings: Env; Variables: RequestVariables }>()
  app.use(identify, logRequest)
  if (duplicateCode) app.use(duplicateErrorCode)
  if (renderError) app.use(renderErrorsWith(renderError))
  app.notFound((c) => respondWithError(c, apiError(sharedErrors.not_found)))
  app.onError((error, c) => {
    const refusal = error instanceof ApiError ? error : toApiError(error, failures)
    if (refusal.status >= 500) logFailure(refusal)
    return respondWithError(c, refusal)
  })
  return app
}

interface AppOptions {
  failures?: ToApiError[]
  duplicateCode?: boolean
  renderError?: RenderError
}

/** The last route of a path: responds 405, because the path exists, but not with this method. */
export function allowOnly(...methods: string[]): Handler {
  return (c) => {
    c.header('Allow', methods.join(', '))
    return respondWithError(c, apiError(sharedErrors.method_not_allowed))
  }
}

function toApiError(error: Error, failures: ToApiError[]): ApiError {
  for (const failure of failures) {
    const known = failure(error)
    if (known) return known
  }
  return new ApiError(sharedErrors.failed, { cause: error })
}

/** Responds with an error, and stores it for `logRequest`. */
async function respondWithError(c: Context, refusal: ApiError): Promise<Response> {
  c.error = refusal
  if (refusal.retryAfter !== undefined) c.header('Retry-After', String(refusal.retryAfter))
  if (refusal.status === 401) c.header('WWW-Authenticate', CHALLENGE)
  const renderError: RenderError | undefined = c.get('renderError')
  const rendered = await renderError?.(c, refusal)
  if (rendered) return rendered
  const { body, error } = refusal
  return c.json(c.get('duplicateCode') ? { ...body, code: error } : body, refusal.status)
}

/** A processor's failure (502) is only a warning: there is nothing for us to fix. */
function logFailure({ status, error, cause }: ApiError): void {
  const message = status === 500 ? 'unexpected failure' : error
  log(status === 502 ? 'warn' : 'error', message, { cause })
}

/**
 * Gives a request its id in the log; the response carries it as `X-Request-Id`. Not hono/request-id, which accepts an id sent by the
 * caller: it might be another request's.
 */
const identify: MiddlewareHandler = async function identify(c, next) {
  const requestId = crypto.randomUUID()
  await withRequestId(requestId, next)
  addCommonHeaders(c.res.headers, requestId)
}

const duplicateErrorCode: MiddlewareHandler<{ Variables: RequestVariables }> = async function duplicateErrorCode(
  c,
  next,
) {
  c.set('duplicateCode', true)
  await next()
}

const renderErrorsWith = (renderError: RenderError): MiddlewareHandler<{ Variables: RequestVariables }> =>
  async function renderErrors(c, next) {
    c.set('renderError', renderError)
    await next()
  }

/** One line for each request. It names whom and what the request was about, and a refusal: the log alone answers why a call was refused. */
const logRequest: MiddlewareHandler = async function logRequest(c, next) {
  const startedAt = Date.now()
  await next()
  const refused = c.error instanceof ApiError ? c.error : null
  log('info', 'request', {
    method: c.req.method,
    route: routePath(c, -1),
    paywall_id: loggablePaywallId(c.req.param('id')),
    sdk_version: loggedSdkVersion(c.req.header('x-sdk-version')),
    status: c.res.status,
    refusal: refused?.refusal,
    reason: refused?.reason,
    ...loggedSubject(),
    milliseconds: Date.now() - startedAt,
  })
}
