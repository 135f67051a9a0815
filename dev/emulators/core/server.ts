import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { close, listen } from './listen.ts'

export interface HttpRequest {
  method: string
  path: string
  query: string
  headers: IncomingHttpHeaders
  body: string
}

/** A complete response. */
export interface HttpResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** A complete response that is not text, such as a picture. */
type HttpFile = Omit<HttpResponse, 'body'> & { body: Uint8Array }

/** A streaming response that lasts until the browser disconnects. */
export interface HttpStream {
  status: number
  headers: Record<string, string>
  /** The chunks. `gone` aborts when the browser has disconnected. */
  chunks(gone: AbortSignal): AsyncIterable<string>
}

type Handler = (request: HttpRequest) => Promise<HttpResponse | HttpFile | HttpStream | null>

/** One header's value; null if it is missing or empty. */
export function header(request: HttpRequest, name: string): string | null {
  const value = request.headers[name]
  return (Array.isArray(value) ? value[0] : value) || null
}

const LARGEST_BODY_BYTES = 1024 * 1024

/** Serves on 127.0.0.1. If the handler resolves to null or fails, the connection is closed without a response. */
export async function serve(port: number, handle: Handler) {
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing, handle).catch((error: unknown) => {
      if (!incoming.destroyed) console.error('emulator: a request failed', error)
      outgoing.destroy()
    })
  })
  return { url: await listen(server, port), close: () => close(server) }
}

async function respond(incoming: IncomingMessage, outgoing: ServerResponse, handle: Handler): Promise<void> {
  const [path = '/', query = ''] = (incoming.url ?? '/').split('?', 2)
  const { method = 'GET', headers } = incoming
  const response = await handle({ method, path, query, headers, body: await readBody(incoming) })
  if (!response) {
    outgoing.destroy()
    return
  }
  if ('chunks' in response) return stream(outgoing, response)
  outgoing.writeHead(response.status, { ...response.headers, 'Content-Length': Buffer.byteLength(response.body) })
  outgoing.end(method === 'HEAD' ? undefined : response.body)
}

async function stream(outgoing: ServerResponse, { status, headers, chunks }: HttpStream): Promise<void> {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  outgoing.writeHead(status, headers)
  for await (const chunk of chunks(gone.signal)) outgoing.write(chunk)
  outgoing.end()
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > LARGEST_BODY_BYTES) throw new RangeError('a request body is too large')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}
