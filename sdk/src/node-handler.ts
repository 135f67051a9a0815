/** The subset of Node's `IncomingMessage`, and of Express's `Request`, that is used here. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  method?: string | undefined
  headers: { readonly [name: string]: string | readonly string[] | undefined }
  readableEnded: boolean
  /** What a body parser has made of the body. */
  body?: unknown
}

/** The subset of Node's `ServerResponse` that is used here. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown
  end(text: string): unknown
}

/** A handler for `node:http` and Express. It never rejects. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse) => Promise<void>

/** Converts a webhook handler from `Request` and `Response` to Node's. */
export function toNodeHandler(handle: (request: Request) => Promise<Response>): NodeHandler {
  return async (request, response) => {
    const { status, headers, text } = await answer(handle, request)
    // The rest of a body that is too long is not read, so the connection cannot be used again.
    response.writeHead(status, status === 413 ? { ...headers, connection: 'close' } : headers)
    response.end(text)
  }
}

async function answer(handle: (request: Request) => Promise<Response>, request: NodeRequest) {
  try {
    const response = await handle(toRequest(request))
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
  } catch (error) {
    console.error('could not handle a webhook', error)
    return { status: 500, headers: {}, text: '' }
  }
}

/** The URL is not used. Of the headers only those of the signature are. */
function toRequest(request: NodeRequest): Request {
  const { method = 'GET', headers } = request
  const signature = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'))
  const body = method === 'POST' ? unparsedBody(request) : null
  const init = { method, headers: signature.map(([name, value]) => [name, String(value)] as [string, string]), body }
  return new Request('http://localhost', { ...init, duplex: 'half' } as RequestInit)
}

/** @throws Error if a body parser has replaced the bytes that are signed */
function unparsedBody(request: NodeRequest): BodyInit {
  const { body, readableEnded } = request
  if (typeof body === 'string' || body instanceof Uint8Array) return body as BodyInit
  if (!readableEnded) return toStream(request)
  throw new Error('The body was parsed, so its signature cannot be verified: add the handler before express.json()')
}

/** Not `ReadableStream.from`, which Node 18 lacks. Cancelling does not destroy the request: it is still to be answered. */
function toStream(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}
