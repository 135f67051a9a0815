import type { TestWorld } from './world.ts'

export interface Call {
  method?: string
  /** X-Api-Key. */
  key?: string
  /** Authorization: Bearer. */
  token?: string
  /** The caller's country as Cloudflare tells it; null: it tells none. US where it is left out. */
  country?: string | null
  headers?: Record<string, string>
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown
}

/** A whole answer. Compare it as one, so that a failed test shows all of it. */
export interface Reply {
  status: number
  headers: Record<string, string>
  /** The JSON, or the text where it is none. */
  body: unknown
}

/** A request through the public door; `path` may be a URL of any host. A body makes it a POST. */
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
