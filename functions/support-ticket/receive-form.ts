import { ApiError, apiError } from '../../lib/http/errors.ts'
import { sharedErrors } from '../../lib/http/shared-errors.ts'
import { detectImageType, type ImageType, SIGNATURE_BYTES } from '../../lib/images/image-type.ts'
import { type Fault, FILE_LIMIT, FILES_LIMIT, faultErrors } from './contract.ts'
import { MultipartReader, type PartHead } from './multipart.ts'

/** All text fields together, in characters: about as much as a JSON body may have. */
const TEXT_LIMIT = 64 * 1024
/** A character takes four bytes of UTF-8 at most. */
const LONGEST_CHARACTER = 4

/** The text fields of a form, the first of each name. */
export type Fields = Map<string, string>

/** An image whose bytes begin like the type that it was sent as. */
export interface Image {
  fileName: string
  type: ImageType
}

/** Where the bytes of an image go. A chunk is good until `write` resolves. */
export interface ImageSink {
  write(chunk: Uint8Array): Promise<void>
  /** The image is complete. */
  close(): Promise<void>
}

interface Form {
  fields: Fields
  /** What is wrong with the files: the first in the contract's order. */
  fault: Fault | null
}

/**
 * Reads a form to its end. For each image it asks `keep`, with the text fields seen by then, where its bytes go; null: nowhere.
 * After a fault it asks no more, but the rest is read: what is wrong with the text fields is said first, wherever they stand.
 *
 * @throws ApiError as `MultipartReader`; 400 `invalid_payload` for text that cannot be kept, and `invalid_file` as soon as a file
 * is larger than it may be
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
      if (part.fileName === '' && head.length === 0) continue // what a browser sends if nothing was chosen
      files += 1
      const image = toImage(part, head)
      invalid ||= image === null
      const sink = image && !invalid && files <= FILES_LIMIT ? await keep(image, fields) : null
      await pass(form, head, sink)
    }
  } finally {
    form.release()
  }
  return { fields, fault: files > FILES_LIMIT ? 'too_many_files' : invalid ? 'invalid_file' : null }
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
  if (text.includes('\0')) throw apiError(faultErrors.invalid_form, { message: 'NUL is not text' })
  return text
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch (cause) {
    throw new ApiError(...faultErrors.invalid_form, { cause, detail: { message: 'this is no multipart form' } })
  }
}

/** The beginning of a file, as much as it takes to see what it is, or the whole file if it is shorter. */
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

/** Passes a file on from its head to its end; without a sink it is only read and counted. */
async function pass(form: MultipartReader, head: Uint8Array, sink: ImageSink | null): Promise<void> {
  let size = 0
  for (let chunk: Uint8Array | null = head; chunk; chunk = await form.nextChunk()) {
    size += chunk.length
    if (size > FILE_LIMIT) throw apiError(faultErrors.invalid_file)
    await sink?.write(chunk)
  }
  await sink?.close()
}

/** Null for a file of a type that we do not take, whose bytes are of another type, or in a field of another name. */
function toImage({ name, fileName = '', mediaType }: PartHead, head: Uint8Array): Image | null {
  const type = detectImageType(head)
  return name === 'files' && type !== null && type === mediaType.toLowerCase() ? { fileName, type } : null
}
