import {
  getMultipartBoundary,
  MaxFileSizeExceededError,
  MaxPartsExceededError,
  MultipartParseError,
  MultipartParser,
  type MultipartPart,
} from '@remix-run/multipart-parser'
import { ApiError } from '../../lib/errors.ts'

/** The largest form, in bytes: five files of 10 MB, and what is around them. */
const FORM_LIMIT = 51 * 1024 * 1024
export const FILE_LIMIT = 10 * 1024 * 1024
/** Parts that nobody asked for are read over, but not without end. */
const PARTS_LIMIT = 100
/** RFC 2046. A longer one would only make the search for it slow. */
const LONGEST_BOUNDARY = 70
/** Read at least so much at a time: a body that trickles in byte by byte must not become as many objects. */
const BLOCK = 64 * 1024

/** A part of a form: a text field, or a file as its sender described it. */
export type Part =
  | { kind: 'field'; name: string; value: string }
  | { kind: 'file'; name: string; fileName: string; mediaType: string; bytes: Uint8Array }

export function isForm(request: Request): boolean {
  return /^multipart\/form-data\b/i.test(request.headers.get('content-type') ?? '')
}

/**
 * The parts of a multipart body, in order. One of them is in memory at a time, never the whole body: the next is read
 * when the caller asks for it.
 *
 * @throws ApiError 413 `payload_too_large`, 400 `invalid_payload` for what is no form, `too_many_files`, and
 * `invalid_file` as soon as a part is larger than a file may be
 */
export async function* readParts(request: Request): AsyncGenerator<Part, void> {
  const boundary = getMultipartBoundary(request.headers.get('content-type') ?? '')?.trim() ?? ''
  if (!request.body || boundary === '' || boundary.length > LONGEST_BOUNDARY) throw noForm()
  const limits = { maxFileSize: FILE_LIMIT, maxTotalSize: FORM_LIMIT, maxParts: PARTS_LIMIT }
  const parser = new MultipartParser(boundary, limits)
  if (Number(request.headers.get('content-length')) > FORM_LIMIT) throw new ApiError(413, 'payload_too_large')
  try {
    for await (const block of readBlocks(request.body)) {
      for (const part of parser.write(block)) yield described(part)
    }
    parser.finish()
  } catch (cause) {
    if (!(cause instanceof MultipartParseError)) throw cause
    if (cause instanceof MaxPartsExceededError) throw new ApiError(400, 'too_many_files', { cause })
    if (cause instanceof MaxFileSizeExceededError) throw new ApiError(400, 'invalid_file', { cause })
    throw noForm(cause)
  }
}

/**
 * The body in large pieces, counted. The parser takes nothing after the closing boundary but in the same piece, not even
 * the line break that ends most forms, so a short last piece is joined to the one before it.
 */
async function* readBlocks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader({ mode: 'byob' })
  let previous = new Uint8Array()
  let size = 0
  for (;;) {
    const { value: block, done } = await reader.readAtLeast(BLOCK, new Uint8Array(BLOCK))
    size += block?.length ?? 0
    if (size > FORM_LIMIT) throw new ApiError(413, 'payload_too_large')
    if (done || block.length < BLOCK) {
      yield joined(previous, block ?? new Uint8Array())
      return
    }
    if (previous.length > 0) yield previous
    previous = block
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

function described(part: MultipartPart): Part {
  try {
    const { name = '', filename: fileName, mediaType = '' } = part
    if (fileName === undefined) return { kind: 'field', name, value: part.text }
    return { kind: 'file', name, fileName, mediaType, bytes: part.bytes }
  } catch (cause) {
    throw noForm(cause) // its text is not UTF-8
  }
}

const noForm = (cause?: unknown) =>
  new ApiError(400, 'invalid_payload', { cause, detail: { message: 'this is no multipart form' } })
