import type { TestWorld } from './world.ts'

export interface Call {
  method?: string
  /** X-Api-Key. */
  key?: string
  /** Authorization: Bearer. */
  token?: string
  /** The caller's country, which Cloudflare sets; null: not set. Default: US. */
  country?: string | null
  headers?: Record<string, string>
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown
}

/** A whole response. Compare it as a whole, so that a failed test prints all of it. */
export interface Reply {
  status: number
  headers: Record<string, string>
  /** The parsed JSON, or the text if it is not JSON. */
  body: unknown
}

/** A request through the gateway; `path` may be a URL with any host. POST if there is a body. */
export async function call(world: TestWorld, path: string, options: Call = {}): Promise<Reply> {
  const { method, key, token, country, headers, body } = options
  const response = await world.fetch(path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'x-api-key': key }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(country !== undefined && { cf: { country } }),
  })
  const text = await response.text()
  return { status: response.status, headers: Object.fromEntries(response.headers), body: jsonOrText(text) }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
