import type { Context, Handler, MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { Hono } from 'hono/tiny'
import { ApiError, refuse } from './errors.ts'
import { log } from './log.ts'
import { loggedPaywallOf } from './place.ts'
import { addCommonHeaders } from './response-headers.ts'
import { loggedSdkVersion } from './sdk-version.ts'
import { sharedWords } from './shared-words.ts'

/** The ways to authenticate, which every 401 names (RFC 9110). `ApiKey` stands for the header `X-Api-Key`. */
const CHALLENGE = 'Bearer, ApiKey'

/** What a caller is told of a failure of something that the Worker depends on; null for any other error. */
type ToRefusal = (error: Error) => ApiError | null

/** How a refusal is said to whoever cannot read JSON; null to whoever can. Status and headers are the answer's own. */
export type Say = (c: Context, refusal: ApiError) => Promise<Response | null>

/** What a request is found by in the log: its response carries it as `X-Request-Id`. */
interface RequestVariables {
  requestId: string
  /** Whether each error says its code twice: as `error`, and as `code`. */
  saysCode?: boolean
  say?: Say
}

/**
 * A Hono app without database and processors. Every answer has a request id and the headers that all have, refusals are JSON
 * unless the app has its own way to `say` them, and every request is one line of the log. An error that is neither a refusal nor
 * one of `failures` is a mistake of ours: the log has it, and the caller a bare 500.
 */
export function createBaseApp<Env extends object>({ failures = [], saysCode = false, say }: AppOptions = {}) {
  const app = new Hono<{ Bindings: Env; Variables: RequestVariables }>()
  app.use(identify, logRequest)
  if (saysCode) app.use(sayCode)
  if (say) app.use(sayBy(say))
  app.notFound((c) => answer(c, refuse(sharedWords.not_found)))
  app.onError((error, c) => {
    const refusal = error instanceof ApiError ? error : refusalOf(error, failures)
    if (refusal.status >= 500) logFailure(c, refusal)
    return answer(c, refusal)
  })
  return app
}

interface AppOptions {
  failures?: ToRefusal[]
  saysCode?: boolean
  say?: Say
}

/** The last route of a path: answers 405, because the path exists, but not with this method. */
export function allowOnly(...methods: string[]): Handler {
  return (c) => {
    c.header('Allow', methods.join(', '))
    return answer(c, refuse(sharedWords.method_not_allowed))
  }
}

function refusalOf(error: Error, failures: ToRefusal[]): ApiError {
  for (const failure of failures) {
    const known = failure(error)
    if (known) return known
  }
  return new ApiError(...sharedWords.failed, { cause: error })
}

/** Answers with a refusal, and leaves it where `logRequest` finds it. */
async function answer(c: Context, refusal: ApiError): Promise<Response> {
  c.error = refusal
  if (refusal.retryAfter !== undefined) c.header('Retry-After', String(refusal.retryAfter))
  if (refusal.status === 401) c.header('WWW-Authenticate', CHALLENGE)
  const say: Say | undefined = c.get('say')
  const said = await say?.(c, refusal)
  if (said) return said
  const { body, error } = refusal
  return c.json(c.get('saysCode') ? { ...body, code: error } : body, refusal.status)
}

/** A processor's failure (502) is a warning: there is nothing for us to repair. */
function logFailure(c: Context, { status, error, cause }: ApiError): void {
  const message = status === 500 ? 'unexpected failure' : error
  log(status === 502 ? 'warn' : 'error', message, { request_id: c.get('requestId'), cause })
}

/** An id of a caller's own making is ignored: it might be another request's. */
const identify: MiddlewareHandler<{ Variables: RequestVariables }> = async function identify(c, next) {
  c.set('requestId', crypto.randomUUID())
  await next()
  addCommonHeaders(c.res.headers, c.get('requestId'))
}

const sayCode: MiddlewareHandler<{ Variables: RequestVariables }> = async function sayCode(c, next) {
  c.set('saysCode', true)
  await next()
}

const sayBy = (say: Say): MiddlewareHandler<{ Variables: RequestVariables }> =>
  async function sayInItsWay(c, next) {
    c.set('say', say)
    await next()
  }

/** One line for each request. A refusal is named in it, so that the log answers why a call was refused. */
const logRequest: MiddlewareHandler = async function logRequest(c, next) {
  const startedAt = Date.now()
  await next()
  log('info', 'request', {
    request_id: c.get('requestId'),
    method: c.req.method,
    route: routePath(c, -1),
    paywall_id: loggedPaywallOf(c),
    sdk_version: loggedSdkVersion(c.req.header('x-sdk-version')),
    status: c.res.status,
    refusal: c.error instanceof ApiError ? c.error.refusal : undefined,
    milliseconds: Date.now() - startedAt,
  })
}
