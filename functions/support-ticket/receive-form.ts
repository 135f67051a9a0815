import { ApiError, apiError } from '../../lib/http/errors.ts'
import { TICKET_FILES_LIMIT } from '../../lib/http/input-limits.ts'
import { sharedErrors } from '../../lib/http/shared-errors.ts'
import { detectImageType, type ImageType, SIGNATURE_BYTES } from '../../lib/images/image-type.ts'
import { type Fault, FILE_LIMIT, faultErrors } from './contract.ts'
import { MultipartReader, type PartHead } from './multipart.ts'

/** Maximum size of all text fields together, in characters: about that of a JSON body. */
const TEXT_LIMIT = 64 * 1024
/** A character takes four bytes of UTF-8 at most. */
const LONGEST_CHARACTER = 4

/** The text fields of a form, the first of each name. */
export type Fields = Map<string, string>

/** An image whose signature matches its declared type. */
export interface Image {
  fileName: string
  type: ImageType
}

/** Receives the bytes of an image. A chunk is valid until `write` resolves. */
export interface ImageSink {
  write(chunk: Uint8Array): Promise<void>
  /** The image is complete. */
  close(): Promise<void>
}

interface Form {
  fields: Fields
  /** The first error of the files, in the contract's order. */
  fault: Fault | null
}

/**
 * Reads a form to its end. For each image it calls `keep`, with the text fields received so far, to get a sink for its bytes; null:
 * discard. After a fault it calls it no more, but reads the rest: errors of text fields are reported first, wherever the fields are.
 *
 * @throws ApiError as `MultipartReader`; 400 `invalid_payload` for text that cannot be stored, and `invalid_file` as soon as a file is too
 * large
 */
export async function receiveForm(
  request: Request,
  keep: (image: Image, fields: Fields) => Promise<ImageSink | null>,
): Promise<Form> {
  const form = new MultipartReader(request)
  const fields: Fields = new Map()
  let characters = 0
  let files = 0
  let invalid = false
  try {
    for (let part = await form.nextPart(); part; part = await form.nextPart()) {
      if (part.fileName === undefined) {
        const text = await readText(form)
        characters += text.length
        if (characters > TEXT_LIMIT) throw apiError(sharedErrors.payload_too_large)
        if (!fields.has(part.name)) fields.set(part.name, text)
        invalid ||= part.name === 'files'
        continue
      }
      const head = await readHead(form)
      if (part.fileName === '' && head.length === 0) continue // a browser's empty file input
      files += 1
      const image = toImage(part, head)
      invalid ||= image === null
      const sink = image && !invalid && files <= TICKET_FILES_LIMIT ? await keep(image, fields) : null
      await pass(form, head, sink)
    }
  } finally {
    form.release()
  }
  return { fields, fault: files > TICKET_FILES_LIMIT ? 'too_many_files' : invalid ? 'invalid_file' : null }
}

async function readText(form: MultipartReader): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (let chunk = await form.nextChunk(); chunk; chunk = await form.nextChunk()) {
    size += chunk.length
    if (size > TEXT_LIMIT * LONGEST_CHARACTER) throw apiError(sharedErrors.payload_too_large)
    chunks.push(chunk.slice())
  }
  const text = decode(await new Blob(chunks).arrayBuffer())
  if (text.includes('\0')) throw apiError(faultErrors.invalid_form, { message: 'Text must not contain NUL' })
  return text
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch (cause) {
    throw new ApiError(faultErrors.invalid_form, { cause, detail: { message: 'The body is not a multipart form' } })
  }
}

/** The first bytes of a file, enough to detect its type, or the whole file if it is shorter. */
async function readHead(form: MultipartReader): Promise<Uint8Array> {
  let head = new Uint8Array()
  while (head.length < SIGNATURE_BYTES) {
    const chunk = await form.nextChunk()
    if (!chunk) break
    const longer = new Uint8Array(head.length + chunk.length)
    longer.set(head)
    longer.set(chunk, head.length)
    head = longer
  }
  return head
}

/** Copies a file to the sink; without one the file is only read and counted. */
async function pass(form: MultipartReader, head: Uint8Array, sink: ImageSink | null): Promise<void> {
  let size = 0
  for (let chunk: Uint8Array | null = head; chunk; chunk = await form.nextChunk()) {
    size += chunk.length
    if (size > FILE_LIMIT) throw apiError(faultErrors.invalid_file)
    await sink?.write(chunk)
  }
  await sink?.close()
}

/** Null if the type is not accepted, the bytes are of another type, or the field has another name. */
function toImage({ name, fileName = '', mediaType }: PartHead, head: Uint8Array): Image | null {
  const type = detectImageType(head)
  return name === 'files' && type !== null && type === mediaType.toLowerCase() ? { fileName, type } : null
}
