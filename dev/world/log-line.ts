import * as z from 'zod'

const Cause = z.union([z.string(), z.looseObject({ message: z.string() }).transform(({ message }) => message)])
const Problem = z.looseObject({ message: z.string(), cause: Cause.optional() })

/**
 * The log line of a refused request. An endpoint's line has its route (`logRequest` in lib/http/base-app.ts), the gateway's the binding of
 * the Worker that it would have called.
 */
const Refused = z.looseObject({
  message: z.literal('request'),
  method: z.string(),
  route: z.string().optional(),
  binding: z.string().optional(),
  status: z.int(),
  refusal: z.string(),
  reason: z.string().optional(),
})

type Fields = Record<string, unknown>

/** The entries of the Workers' logs that the local world shows, with all fields of the line. */
export type LogEntry =
  | (Fields & { type: 'refused' } & Omit<z.output<typeof Refused>, 'message'>)
  | (Fields & { type: 'problem'; level: string } & z.output<typeof Problem>)

/** Parses a line of a Worker's log; null unless it is a warning, an error or a refusal. */
export function parseLogLine(level: string, message: string): LogEntry | null {
  const line = parsed(message)
  if (level === 'warn' || level === 'error') {
    return { ...(Problem.safeParse(line).data ?? { message }), type: 'problem', level }
  }
  const refused = Refused.safeParse(line)
  if (!refused.success) return null
  const { level: _level, message: _message, ...fields } = refused.data
  return { ...fields, type: 'refused' }
}

/** Formats an entry for a terminal, with the ids of what it is about. */
export function formatLogEntry(entry: LogEntry): string {
  const ids = Object.entries(entry).filter(([name, value]) => /(^|_)id$/.test(name) && value !== undefined)
  const about = ids.length > 0 ? ` (${ids.map((id) => id.join(' ')).join(', ')})` : ''
  if (entry.type === 'problem')
    return `[${entry.level}] ${entry.message}${entry.cause ? `: ${entry.cause}` : ''}${about}`
  const refusal = entry.reason === undefined ? entry.refusal : `${entry.refusal} (${entry.reason})`
  return `${entry.method} ${entry.route ?? entry.binding ?? 'an unknown path'} was refused: ${entry.status} ${refusal}${about}`
}

function parsed(message: string): unknown {
  try {
    return JSON.parse(message)
  } catch {
    return undefined
  }
}
