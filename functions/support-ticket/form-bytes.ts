import { ApiError, apiError } from '../../lib/http/errors.ts'
import { sharedErrors } from '../../lib/http/shared-errors.ts'
import { faultErrors } from './contract.ts'

/** The largest form, in bytes: five files of 10 MB, and what is around them. */
export const FORM_LIMIT = 51 * 1024 * 1024
/** Read so much at a time: a body that trickles in byte by byte must not become as many objects. */
const BLOCK = 64 * 1024

/**
 * The bytes of a form's body of which it is not decided yet what they are. The same memory is used for all of them, however long
 * the body is, since a Worker has 128 MB for all its requests.
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

  /** Good until `more` is called. */
  get bytes(): Uint8Array {
    return this.#memory.subarray(this.#start, this.#end)
  }

  /** These first bytes are dealt with. */
  drop(count: number): void {
    this.#start += count
  }

  /**
   * Reads on. False at the end of the body. At most a block may be left undecided.
   *
   * @throws ApiError 413 `payload_too_large`, 400 `invalid_payload` if the sender goes away
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
  throw new ApiError(...faultErrors.invalid_form, { cause, detail: { message: 'the form ends half-way' } })
}
