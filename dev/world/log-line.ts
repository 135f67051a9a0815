import * as z from 'zod'

const Line = z.looseObject({
  level: z.string(),
  message: z.string(),
  request_id: z.string().optional(),
  cause: z.union([z.string(), z.looseObject({ message: z.string() })]).optional(),
})

/** A Worker's structured log line in words for a terminal; null if it is no warning or error. */
export function logLine(level: string, message: string): string | null {
  if (level !== 'warn' && level !== 'error') return null
  const line = Line.safeParse(parsed(message))
  if (!line.success) return `[${level}] ${message}`
  const { cause, request_id: requestId } = line.data
  const reason = typeof cause === 'object' ? cause.message : cause
  return [`[${level}] ${line.data.message}`, reason && `: ${reason}`, requestId && ` (request ${requestId})`]
    .filter(Boolean)
    .join('')
}

function parsed(message: string): unknown {
  try {
    return JSON.parse(message)
  } catch {
    return undefined
  }
}
