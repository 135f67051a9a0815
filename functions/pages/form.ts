import { apiError, defineErrors } from '../../lib/http/errors.ts'
import { readText } from '../../lib/http/parse.ts'
import type { PagesContext } from './call-api.ts'

const errors = defineErrors<'unknown_action'>({
  unknown_action: [400, 'unknown_action', 'The page has no such button'],
})

/** The largest form without files that a page sends, in bytes. */
const FORM_LIMIT = 64 * 1024

/**
 * Reads a form: returns a field's value by its name, or an empty string. CRLF line breaks become LF, because `maxlength` counts a line
 * break as one character.
 *
 * @throws ApiError 413, 400
 */
export async function readForm(c: PagesContext): Promise<(name: string) => string> {
  const fields = new URLSearchParams(await readText(c.req.raw, FORM_LIMIT))
  return (name) => (fields.get(name) ?? '').replaceAll('\r\n', '\n')
}

/** The pressed button's action, from the form's `action` field. @throws ApiError 400 if the page has no such button */
export function readAction<Action extends string>(form: (name: string) => string, actions: readonly Action[]): Action {
  const action = actions.find((each) => each === form('action'))
  if (action === undefined) throw apiError(errors.unknown_action)
  return action
}

/** How much of a form is copied, in bytes: more than its text fields may hold. */
const BEGINNING = 64 * 1024

/** Passes a body through unchanged, and keeps a copy of its beginning. */
export function copyBeginning(body: ReadableStream<Uint8Array> | null) {
  const beginning = new Beginning()
  const copying = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      beginning.add(chunk)
      controller.enqueue(chunk)
    },
  })
  return { body: body?.pipeThrough(copying) ?? null, beginning }
}

/** A submitted form without its files. */
export interface SentForm {
  fields: Record<string, string>
  hasFiles: boolean
}

/** Reads a form that no handler has read yet, so that the error page can offer it again. */
export async function sentForm(request: Request): Promise<SentForm> {
  if (!request.body || request.bodyUsed) return { fields: {}, hasFiles: false }
  const beginning = new Beginning()
  for await (const chunk of request.body) {
    beginning.add(chunk)
    if (beginning.isFull) break
  }
  const type = request.headers.get('content-type') ?? ''
  const { text, isFull } = beginning
  if (type.startsWith('multipart/')) return { fields: fieldsIn(text, type), hasFiles: hasFiles(text) }
  return { fields: isFull ? {} : Object.fromEntries(new URLSearchParams(text)), hasFiles: false }
}

class Beginning {
  readonly #chunks: Uint8Array[] = []
  #size = 0

  add(chunk: Uint8Array): void {
    if (this.isFull) return
    this.#chunks.push(chunk.slice(0, BEGINNING - this.#size))
    this.#size += chunk.byteLength
  }

  get isFull(): boolean {
    return this.#size >= BEGINNING
  }

  get text(): string {
    const decoder = new TextDecoder()
    return this.#chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
  }
}

/** Whether files were chosen in a multipart form, judged by its beginning: an empty file field is sent with an empty file name. */
export const hasFiles = (beginning: string): boolean => /; filename="[^"]/.test(beginning)

/** The text fields at the beginning of a multipart form. A truncated field is left out. */
export function fieldsIn(beginning: string, contentType: string): Record<string, string> {
  const boundary = /;\s*boundary="?([^";]+)/i.exec(contentType)?.[1]
  const parts = boundary ? beginning.split(`--${boundary}`).slice(1, -1) : []
  const fields = parts.flatMap((part) => {
    const [, name, text] = /^\r\n[^\n]*\bname="([^"\r\n]*)"\r\n\r\n([\s\S]*)\r\n$/.exec(part) ?? []
    return name === undefined || text === undefined ? [] : [[name, text] as const]
  })
  return Object.fromEntries(fields)
}
