import * as z from 'zod'

const Line = z.looseObject({
  message: z.string(),
  request_id: z.string().optional(),
  cause: z.union([z.string(), z.looseObject({ message: z.string() })]).optional(),
})

/** A request that was refused: see `logRequest` in lib/http/base-app.ts. */
const Refused = z.looseObject({
  message: z.literal('request'),
  request_id: z.string().optional(),
  method: z.string(),
  route: z.string(),
  status: z.int(),
  refusal: z.string(),
})

/** A Worker's structured log line in words for a terminal: warnings, errors and refusals. Null for any other. */
export function logLine(level: string, message: string): string | null {
  const line = parsed(message)
  if (level === 'warn' || level === 'error') return trouble(level, line) ?? `[${level}] ${message}`
  const refused = Refused.safeParse(line)
  if (!refused.success) return null
  const { method, route, status, refusal, request_id: requestId } = refused.data
  return `${method} ${route} was refused: ${status} ${refusal}${ofRequest(requestId)}`
}

function trouble(level: string, line: unknown): string | null {
  const known = Line.safeParse(line)
  if (!known.success) return null
  const { message, cause, request_id: requestId } = known.data
  const reason = typeof cause === 'object' ? cause.message : cause
  return `[${level}] ${message}${reason ? `: ${reason}` : ''}${ofRequest(requestId)}`
}

const ofRequest = (id: string | undefined) => (id ? ` (request ${id})` : '')

function parsed(message: string): unknown {
  try {
    return JSON.parse(message)
  } catch {
    return undefined
  }
}
