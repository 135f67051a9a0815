import { refuse } from '../../lib/http/errors.ts'
import { sharedWords } from '../../lib/http/shared-words.ts'
import { type Fault, faultWords } from './contract.ts'
import { FILES_LIMIT, IMAGE_TYPES, type ImageType, imageTypeOf } from './image-type.ts'
import { type Part, readParts } from './multipart.ts'

/** All text fields together, in characters: about as much as a JSON body may have. */
const TEXT_LIMIT = 64 * 1024

/** The text fields of a form, the first of each name. */
export type Fields = Map<string, string>

/** An image whose bytes are of the type that it was sent as. `content` may be read only until `keep` resolves. */
export interface Image {
  fileName: string
  type: ImageType
  size: number
  content: Uint8Array[]
}

interface Form {
  fields: Fields
  /** What is wrong with the files: the first in the contract's order. */
  fault: Fault | null
}

/**
 * Reads a form to its end and gives each image to `keep` as it comes, with the text fields seen by then. After a fault
 * no more are given, but the rest is read: what is wrong with the text fields is said first, wherever they stand.
 *
 * @throws ApiError as `readParts`; 400 `invalid_payload` for text that cannot be kept
 */
export async function receiveForm(
  request: Request,
  keep: (image: Image, fields: Fields) => Promise<void>,
): Promise<Form> {
  const fields: Fields = new Map()
  let characters = 0
  let files = 0
  let invalid = false
  for await (const part of readParts(request)) {
    if (part.kind === 'field') {
      characters += part.value.length
      if (characters > TEXT_LIMIT) throw refuse(sharedWords.payload_too_large)
      if (part.value.includes('\0')) throw refuse(faultWords.invalid_form, { message: 'NUL is not text' })
      if (!fields.has(part.name)) fields.set(part.name, part.value)
      invalid ||= part.name === 'files'
    } else if (!isEmptyInput(part)) {
      files += 1
      const image = imageOf(part)
      invalid ||= image === null
      if (image && !invalid && files <= FILES_LIMIT) await keep(image, fields)
    }
  }
  return { fields, fault: files > FILES_LIMIT ? 'too_many_files' : invalid ? 'invalid_file' : null }
}

type File = Extract<Part, { kind: 'file' }>

/** What a browser sends for a file input in which nothing was chosen. */
const isEmptyInput = ({ fileName, size }: File) => fileName === '' && size === 0

/** Null for a file of a type that we do not take, whose bytes are of another type, or in a field of another name. */
function imageOf({ name, fileName, mediaType, size, content }: File): Image | null {
  const type = IMAGE_TYPES.find((one) => one === mediaType.toLowerCase())
  return name === 'files' && type && imageTypeOf(content) === type ? { fileName, type, size, content } : null
}
