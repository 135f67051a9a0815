/** How much of a form is copied, in bytes: more than its text fields may have. */
const BEGINNING = 64 * 1024

/** A body that is read as before, and what passed first of it. */
export function copyBeginning(body: ReadableStream<Uint8Array> | null) {
  const chunks: Uint8Array[] = []
  let size = 0
  const copying = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (size < BEGINNING) chunks.push(chunk.slice(0, BEGINNING - size))
      size += chunk.byteLength
      controller.enqueue(chunk)
    },
  })
  const decode = () => {
    const decoder = new TextDecoder()
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
  }
  return { body: body?.pipeThrough(copying) ?? null, beginning: decode }
}

/** The text fields at the beginning of a multipart form, by their names. One that is cut off is left out. */
export function fieldsIn(beginning: string, contentType: string): Record<string, string> {
  const boundary = /;\s*boundary="?([^";]+)/i.exec(contentType)?.[1]
  const parts = boundary ? beginning.split(`--${boundary}`).slice(1, -1) : []
  const fields = parts.flatMap((part) => {
    const [, name, text] = /^\r\n[^\n]*\bname="([^"\r\n]*)"\r\n\r\n([\s\S]*)\r\n$/.exec(part) ?? []
    return name === undefined || text === undefined ? [] : [[name, text] as const]
  })
  return Object.fromEntries(fields)
}
