import { getMultipartBoundary, MultipartPart } from '@remix-run/multipart-parser'
import { ApiError, apiError } from '../../lib/http/errors.ts'
import { sharedErrors } from '../../lib/http/shared-errors.ts'
import { log } from '../../lib/log/log.ts'
import { faultErrors } from './contract.ts'
import { FORM_LIMIT, FormBytes } from './form-bytes.ts'

/** Maximum number of parts. Unknown parts are skipped. */
const PARTS_LIMIT = 100
/** Maximum size of a part's headers, in bytes. */
const HEADERS_LIMIT = 8 * 1024
/** RFC 2046. A longer boundary would only slow down the search. */
const LONGEST_BOUNDARY = 70

const CR = 0x0d
const HEADERS_END = new TextEncoder().encode('\r\n\r\n')
const LAST = new TextEncoder().encode('--')

/** A part's headers. Without a `fileName` it is a text field. */
export interface PartHead {
  name: string
  fileName: string | undefined
  mediaType: string
}

export function isForm(request: Request): boolean {
  return /^multipart\/form-data\b/i.test(request.headers.get('content-type') ?? '')
}

/**
 * Streams a multipart body, part by part and chunk by chunk, so that no part is in memory as a whole.
 *
 * @throws ApiError 413 `payload_too_large`, 400 `invalid_payload` if it is malformed or incomplete, `too_many_files`
 */
export class MultipartReader {
  readonly #source: FormBytes
  /** The delimiter between parts, which starts with a line break; before the first part it has none. */
  readonly #delimiter: Uint8Array
  #parts = 0
  #isInContent = false

  constructor(request: Request) {
    const boundary = getMultipartBoundary(request.headers.get('content-type') ?? '')?.trim() ?? ''
    if (!request.body || boundary === '' || boundary.length > LONGEST_BOUNDARY) throw noForm()
    if (Number(request.headers.get('content-length')) > FORM_LIMIT) throw apiError(sharedErrors.payload_too_large)
    this.#delimiter = new TextEncoder().encode(`\r\n--${boundary}`)
    this.#source = new FormBytes(request.body)
  }

  /** The next part; null at the end of the form. Unread content of the previous part is skipped. */
  async nextPart(): Promise<PartHead | null> {
    if (this.#parts === 0) await this.#expect(this.#delimiter.subarray(2))
    while (this.#isInContent) await this.nextChunk()
    if (this.#parts++ >= PARTS_LIMIT) throw apiError(faultErrors.too_many_files)
    await this.#need(LAST.length)
    const isLast = find(this.#source.bytes.subarray(0, LAST.length), LAST) === 0
    this.#source.drop(LAST.length) // or the line break after the delimiter
    if (isLast) {
      await this.#skipRest()
      return null
    }
    this.#isInContent = true
    return parseHead(await this.#headers())
  }

  /** The next chunk of the part's content, valid until the next call; null at its end. */
  async nextChunk(): Promise<Uint8Array | null> {
    if (!this.#isInContent) return null
    const kept = this.#delimiter.length - 1 // may be the start of a delimiter
    while (this.#source.bytes.length <= kept) await this.#read()
    const { bytes } = this.#source
    const at = find(bytes, this.#delimiter)
    if (at === 0) {
      this.#isInContent = false
      this.#source.drop(this.#delimiter.length)
      return null
    }
    const length = at > 0 ? at : bytes.length - kept
    this.#source.drop(length)
    return bytes.subarray(0, length)
  }

  release(): void {
    this.#source.release()
  }

  async #headers(): Promise<Uint8Array> {
    for (;;) {
      const { bytes } = this.#source
      const at = find(bytes, HEADERS_END)
      if (at > HEADERS_LIMIT || (at < 0 && bytes.length > HEADERS_LIMIT)) throw noForm()
      if (at >= 0) {
        this.#source.drop(at + HEADERS_END.length)
        return bytes.slice(0, at)
      }
      await this.#read()
    }
  }

  async #expect(text: Uint8Array): Promise<void> {
    await this.#need(text.length)
    if (find(this.#source.bytes.subarray(0, text.length), text) !== 0) throw noForm()
    this.#source.drop(text.length)
  }

  async #need(count: number): Promise<void> {
    while (this.#source.bytes.length < count) await this.#read()
  }

  async #read(): Promise<void> {
    if (!(await this.#source.more())) throw noForm()
  }

  /** Ignores what follows the form, but reads it, because the client is still sending. */
  async #skipRest(): Promise<void> {
    do this.#source.drop(this.#source.bytes.length)
    while (await this.#source.more())
  }
}

/** How far to search byte by byte before calling `indexOf`, whose overhead equals some dozen bytes. */
const NEAR = 32

/**
 * The index of `text` in `bytes`; -1 if it is not found. No match of `text` may start within a failed partial match, which holds for both
 * delimiters, so matched bytes are not compared again: a sender that repeats the start of a delimiter costs no more than any other.
 */
function find(bytes: Uint8Array, text: Uint8Array): number {
  const first = text[0] ?? CR
  const last = bytes.length - text.length
  for (let at = findNext(first, bytes, 0); at >= 0 && at <= last; ) {
    let matching = 1
    while (matching < text.length && bytes[at + matching] === text[matching]) matching++
    if (matching === text.length) return at
    at = findNext(first, bytes, at + matching)
  }
  return -1
}

/** The index of the next such byte; -1 if there is none. */
function findNext(byte: number, bytes: Uint8Array, from: number): number {
  const near = Math.min(from + NEAR, bytes.length)
  for (let at = from; at < near; at++) if (bytes[at] === byte) return at
  return bytes.indexOf(byte, near)
}

/** How much of a refused form is read. Cloudflare usually has a lower limit. */
const REST_LIMIT = 2 * FORM_LIMIT
const REST_BLOCK = 64 * 1024

/**
 * Drains a refused form. Its client is still sending, and most clients read no response before they have sent everything: they would report
 * a broken connection instead.
 */
export async function readRest(request: Request): Promise<void> {
  if (!request.body || !isForm(request)) return
  const reader = request.body.getReader({ mode: 'byob' })
  let block = new Uint8Array(REST_BLOCK)
  try {
    for (let left = REST_LIMIT; left > 0; left -= block.length) {
      const read = await reader.read(new Uint8Array(block.buffer))
      if (read.done) return
      block = read.value
    }
  } catch (cause) {
    log('warn', 'sender of a refused form disconnected', { cause })
  }
}

function parseHead(headers: Uint8Array): PartHead {
  try {
    const { name = '', filename: fileName, mediaType = '' } = new MultipartPart(headers, [])
    return { name, fileName, mediaType }
  } catch (cause) {
    throw noForm(cause) // not UTF-8
  }
}

const noForm = (cause?: unknown) =>
  new ApiError(faultErrors.invalid_form, { cause, detail: { message: 'The body is not a multipart form' } })
