import {
  getMultipartBoundary,
  MaxFileSizeExceededError,
  MaxPartsExceededError,
  MultipartParseError,
  MultipartParser,
  type MultipartPart,
} from '@remix-run/multipart-parser'
import { ApiError, refuse } from '../../lib/http/errors.ts'
import { log } from '../../lib/http/log.ts'
import { sharedWords } from '../../lib/http/shared-words.ts'
import { faultWords } from './contract.ts'
import { FILE_LIMIT } from './image-type.ts'

/** The largest form, in bytes: five files of 10 MB, and what is around them. */
const FORM_LIMIT = 51 * 1024 * 1024
/** How many parts are read. Those that the form has no use for are skipped. */
const PARTS_LIMIT = 100
/** RFC 2046. A longer one would only make the search for it slow. */
const LONGEST_BOUNDARY = 70
/** Read at least so much at a time: a body that trickles in byte by byte must not become as many objects. */
const BLOCK = 64 * 1024

/** A part of a form: a text field, or a file as its sender described it. */
export type Part =
  | { kind: 'field'; name: string; value: string }
  | { kind: 'file'; name: string; fileName: string; mediaType: string; size: number; content: Uint8Array[] }

export function isForm(request: Request): boolean {
  return /^multipart\/form-data\b/i.test(request.headers.get('content-type') ?? '')
}

/**
 * The parts of a multipart body, in order. One of them is in memory at a time, never the whole body, and its content is
 * good until the next is asked for: then its memory is used again, since a Worker has 128 MB for all its requests.
 *
 * @throws ApiError 413 `payload_too_large`, 400 `invalid_payload` for what is no form or ends half-way, `too_many_files`, and
 * `invalid_file` as soon as a part is larger than a file may be
 */
export async function* readParts(request: Request): AsyncGenerator<Part, void> {
  const boundary = getMultipartBoundary(request.headers.get('content-type') ?? '')?.trim() ?? ''
  if (!request.body || boundary === '' || boundary.length > LONGEST_BOUNDARY) throw noForm()
  if (Number(request.headers.get('content-length')) > FORM_LIMIT) throw refuse(sharedWords.payload_too_large)
  const limits = { maxFileSize: FILE_LIMIT, maxTotalSize: FORM_LIMIT, maxParts: PARTS_LIMIT }
  const parser = new MultipartParser(boundary, limits)
  const blocks: Uint8Array<ArrayBuffer>[] = []
  const spare: Uint8Array<ArrayBuffer>[] = []
  try {
    for await (const block of readBlocks(request.body, () => spare.pop() ?? new Uint8Array(BLOCK))) {
      blocks.push(block)
      for (const part of parser.write(block)) {
        yield described(part)
        spare.push(...blocks.splice(0, blocks.length - 1)) // the parser still needs the last
      }
    }
    parser.finish()
  } catch (cause) {
    if (!(cause instanceof MultipartParseError)) throw cause
    if (cause instanceof MaxPartsExceededError) throw new ApiError(...faultWords.too_many_files, { cause })
    if (cause instanceof MaxFileSizeExceededError) throw new ApiError(...faultWords.invalid_file, { cause })
    throw noForm(cause)
  }
}

/**
 * The body in blocks, counted. Most forms end with a line break after the closing boundary, which the parser accepts only
 * in the same piece as the boundary: a short last block is therefore joined to the one before it.
 */
async function* readBlocks(
  body: ReadableStream<Uint8Array>,
  allocate: () => Uint8Array<ArrayBuffer>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const reader = body.getReader({ mode: 'byob' })
  let previous: Uint8Array<ArrayBuffer> | undefined
  let size = 0
  try {
    for (;;) {
      const { value: block, done } = await reader.readAtLeast(BLOCK, allocate()).catch(refuseHalf)
      size += block?.length ?? 0
      if (size > FORM_LIMIT) throw refuse(sharedWords.payload_too_large)
      if (done || block.length < BLOCK) {
        yield joined(previous ?? new Uint8Array(), block ?? new Uint8Array())
        return
      }
      if (previous) yield previous
      previous = block
    }
  } finally {
    reader.releaseLock()
  }
}

/** How much is read of a refused form. Cloudflare as a rule lets less through. */
const REST_LIMIT = 2 * FORM_LIMIT

/**
 * Reads what is left of a refused form. Its sender is still writing, and most clients read no response before they have
 * written everything: they would see a broken connection instead.
 */
export async function readRest(request: Request, requestId: string): Promise<void> {
  if (!request.body || !isForm(request)) return
  const reader = request.body.getReader({ mode: 'byob' })
  let block = new Uint8Array(BLOCK)
  try {
    for (let left = REST_LIMIT; left > 0; left -= block.length) {
      const read = await reader.read(new Uint8Array(block.buffer))
      if (read.done) return
      block = read.value
    }
  } catch (cause) {
    log('warn', 'the sender of a refused form is gone', { request_id: requestId, cause })
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

function described(part: MultipartPart): Part {
  try {
    const { name = '', filename: fileName, mediaType = '' } = part
    if (fileName === undefined) return { kind: 'field', name, value: part.text }
    return { kind: 'file', name, fileName, mediaType, size: part.size, content: part.content }
  } catch (cause) {
    throw noForm(cause) // its text is not UTF-8
  }
}

function refuseHalf(cause: unknown): never {
  throw new ApiError(...faultWords.invalid_form, { cause, detail: { message: 'the form ends half-way' } })
}

const noForm = (cause?: unknown) =>
  new ApiError(...faultWords.invalid_form, { cause, detail: { message: 'this is no multipart form' } })
