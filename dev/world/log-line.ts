import * as z from 'zod'

const Line = z.looseObject({
  message: z.string(),
  request_id: z.string().optional(),
  cause: z.union([z.string(), z.looseObject({ message: z.string() })]).optional(),
})

/** The log line of a refused request: see `logRequest` in lib/http/base-app.ts. */
const Refused = z.looseObject({
  message: z.literal('request'),
  request_id: z.string().optional(),
  method: z.string(),
  route: z.string(),
  status: z.int(),
  refusal: z.string(),
})

/** The entries of the Workers' logs that the local world shows. */
export type LogEntry =
  | { type: 'refused'; method: string; route: string; status: number; refusal: string; request_id: string | null }
  | { type: 'problem'; level: string; message: string; cause: string | null; request_id: string | null }

/** Parses a line of a Worker's log; null unless it is a warning, an error or a refusal. */
export function parseLogLine(level: string, message: string): LogEntry | null {
  const line = parsed(message)
  if (level === 'warn' || level === 'error') return { type: 'problem', level, ...describeProblem(line, message) }
  const refused = Refused.safeParse(line)
  if (!refused.success) return null
  const { method, route, status, refusal, request_id: requestId = null } = refused.data
  return { type: 'refused', method, route, status, refusal, request_id: requestId }
}

function describeProblem(line: unknown, message: string) {
  const known = Line.safeParse(line)
  if (!known.success) return { message, cause: null, request_id: null }
  const { message: text, cause = null, request_id: requestId = null } = known.data
  return {
    message: text,
    cause: cause !== null && typeof cause === 'object' ? cause.message : cause,
    request_id: requestId,
  }
}

/** Formats an entry for a terminal. */
export function formatLogEntry(entry: LogEntry): string {
  const request = entry.request_id ? ` (request ${entry.request_id})` : ''
  if (entry.type === 'problem')
    return `[${entry.level}] ${entry.message}${entry.cause ? `: ${entry.cause}` : ''}${request}`
  return `${entry.method} ${entry.route} was refused: ${entry.status} ${entry.refusal}${request}`
}

function parsed(message: string): unknown {
  try {
    return JSON.parse(message)
  } catch {
    return undefined
  }
}
