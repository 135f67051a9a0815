import { ApiError, apiError } from '../../lib/http/errors.ts'
import { TICKET_FILES_LIMIT } from '../../lib/http/input-limits.ts'
import { sharedErrors } from '../../lib/http/shared-errors.ts'
import { FILE_LIMIT, faultErrors } from './contract.ts'

/** Maximum size of a form in bytes: its files, and an allowance for the rest. */
export const FORM_LIMIT = TICKET_FILES_LIMIT * FILE_LIMIT + 1024 * 1024
/** Minimum size of a read: a body that arrives byte by byte must not allocate an object per byte. */
const BLOCK = 64 * 1024

/**
 * The buffer of a form's bytes that are not parsed yet. It is reused, however long the body is, since a Worker has 128 MB for all its
 * requests.
 */
export class FormBytes {
  readonly #reader: ReadableStreamBYOBReader
  readonly #memory = new Uint8Array(2 * BLOCK)
  #block = new Uint8Array(BLOCK)
  #start = 0
  #end = 0
  #read = 0

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader({ mode: 'byob' })
  }

  /** Valid until `more` is called. */
  get bytes(): Uint8Array {
    return this.#memory.subarray(this.#start, this.#end)
  }

  /** Marks the first `count` bytes as parsed. */
  drop(count: number): void {
    this.#start += count
  }

  /**
   * Reads more bytes. False at the end of the body. At most one block may be left unparsed.
   *
   * @throws ApiError 413 `payload_too_large`, 400 `invalid_payload` if the sender disconnects
   */
  async more(): Promise<boolean> {
    this.#memory.copyWithin(0, this.#start, this.#end)
    this.#end -= this.#start
    this.#start = 0
    const { value } = await this.#reader.readAtLeast(BLOCK, this.#block).catch(refuseHalf)
    if (!value || value.length === 0) return false
    this.#memory.set(value, this.#end)
    this.#end += value.length
    this.#read += value.length
    this.#block = new Uint8Array(value.buffer)
    if (this.#read > FORM_LIMIT) throw apiError(sharedErrors.payload_too_large)
    return true
  }

  release(): void {
    this.#reader.releaseLock()
  }
}

function refuseHalf(cause: unknown): never {
  throw new ApiError(faultErrors.invalid_form, { cause, detail: { message: 'The form is incomplete' } })
}
