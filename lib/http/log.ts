/**
 * Writes one line of JSON to Workers Logs. Never give it a secret, an e-mail address or a body. Of a `cause`, which is an
 * error, it writes name, message and stack, and those of the causes behind it. E-mail addresses are removed from them,
 * since Postgres quotes the value that it refuses.
 */
export function log(level: 'info' | 'warn' | 'error', message: string, fields: Fields = {}): void {
  const { cause, ...rest } = fields
  console[level](
    JSON.stringify({ level, message, ...rest, ...(cause === undefined ? {} : { cause: describe(cause) }) }),
  )
}

type Fields = { cause?: unknown } & Record<string, unknown>

function describe(cause: unknown): unknown {
  if (!(cause instanceof Error)) return withoutAddresses(String(cause))
  const { name, message, stack = '' } = cause
  const [what, where] = [withoutAddresses(message), withoutAddresses(stack)]
  return { name, message: what, stack: where, ...(cause.cause === undefined ? {} : { cause: describe(cause.cause) }) }
}

const withoutAddresses = (text: string) => text.replace(/[\w.+-]+@[\w-]+(\.[\w-]+)+/g, '[e-mail]')
