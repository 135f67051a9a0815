/** How much of a response is kept. */
const BYTES = 2048

/** How long to wait for that after the headers: the status has decided, and an attempt takes a slot until it ends. */
const MILLISECONDS = 500

const BROKEN = { done: true, value: undefined } as const

/**
 * Reads the beginning of a response as text that Postgres can store: invalid UTF-8 is replaced, and NUL is removed. Cancels the rest, so that
 * an endless or slow body costs neither memory nor time. Never throws: if the connection breaks, it returns what has arrived.
 */
export async function readBeginning(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const cancel = () => reader.cancel().catch(() => undefined)
  const timer = setTimeout(cancel, MILLISECONDS)
  const bytes = new Uint8Array(BYTES)
  let length = 0
  while (length < BYTES) {
    const { done, value } = await reader.read().catch(() => BROKEN)
    if (done) break
    const rest = value.subarray(0, BYTES - length)
    bytes.set(rest, length)
    length += rest.length
  }
  clearTimeout(timer)
  await cancel()
  // `stream`: a character that was cut off at the end is left out.
  return new TextDecoder().decode(bytes.subarray(0, length), { stream: true }).replaceAll('\0', '')
}
