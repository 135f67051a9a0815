import { apiError, defineErrors } from '../../lib/http/errors.ts'
import { readText } from '../../lib/http/parse.ts'
import type { PagesContext } from './call-api.ts'

const errors = defineErrors<'unknown_action'>({ unknown_action: [400, 'unknown_action'] })

/** The largest form without files that a page sends, in bytes. */
const FORM_LIMIT = 64 * 1024

/**
 * The fields of a form, each by its name, or an empty text where it has none. A line break, as which a browser sends two characters,
 * is one, as the form's own limits count it.
 *
 * @throws ApiError 413, 400
 */
export async function readForm(c: PagesContext): Promise<(name: string) => string> {
  const fields = new URLSearchParams(await readText(c.req.raw, FORM_LIMIT))
  return (name) => (fields.get(name) ?? '').replaceAll('\r\n', '\n')
}

/** What one of a page's buttons does, as the form says by `action`. @throws ApiError 400 if the page has no such button */
export function readAction<Action extends string>(form: (name: string) => string, actions: readonly Action[]): Action {
  const action = actions.find((each) => each === form('action'))
  if (action === undefined) throw apiError(errors.unknown_action)
  return action
}

/** How much of a form is copied, in bytes: more than its text fields may have. */
const BEGINNING = 64 * 1024

/** A body that is read as before, and what has passed of its beginning. */
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

/** A form as it was sent, without its files. */
export interface SentForm {
  fields: Record<string, string>
  hasFiles: boolean
}

/** A form that nobody has read, for who can do no more with it than show it again. */
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

/** Whether files were chosen in a multipart form, by its beginning: a field of files that is left empty has a file without a name. */
export const hasFiles = (beginning: string): boolean => /; filename="[^"]/.test(beginning)

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
