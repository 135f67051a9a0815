// Images are streamed to R2. R2 accepts an object of known length, or parts of at least 5 MB, with which some thirty concurrent senders
// would fill a Worker's memory. So a long image is stored in small pieces, which are joined into the object once its length is known. The
// pieces are deleted afterwards; those that a crash leaves behind have a prefix of their own.
import { ApiError } from '../../lib/http/errors.ts'
import { sharedErrors } from '../../lib/http/shared-errors.ts'
import { log } from '../../lib/log/log.ts'
import type { Image, ImageSink } from './receive-form.ts'
import type { Attachment } from './ticket.ts'

/** Maximum length of a stored file name, in characters. */
const NAME_LIMIT = 255

/** Size of a piece, and so of the buffer in memory, in bytes. */
const PIECE = 512 * 1024

/** What a request has stored so far, for the cleanup: pieces are always deleted, attachments if no ticket is opened. */
export interface StoredImages {
  attachments: Attachment[]
  pieces: string[]
}

/** The attachment of an image, once its size is known. */
function toAttachment(paywallId: string, { fileName, type }: Image, size: number): Attachment {
  return {
    object_key: `${paywallId}/${crypto.randomUUID()}`,
    file_name: [...fileName.replace(/\p{Cc}/gu, '')].slice(0, NAME_LIMIT).join(''),
    media_type: type,
    size,
  }
}

/** Stores the images of one request, one after the other, with one buffer for all of them. */
export class ImageStore {
  readonly #bucket: R2Bucket
  readonly #paywallId: string
  readonly #stored: StoredImages
  #memory: Uint8Array | undefined

  constructor(bucket: R2Bucket, paywallId: string, stored: StoredImages) {
    this.#bucket = bucket
    this.#paywallId = paywallId
    this.#stored = stored
  }

  /**
   * Starts an image. Keys are added to `stored` before anything is written under them.
   *
   * @throws ApiError 503 `storage_unavailable`
   */
  open(image: Image): ImageSink {
    this.#memory ??= new Uint8Array(PIECE)
    const memory = this.#memory
    const prefix = `unfinished/${crypto.randomUUID()}`
    const pieces: string[] = []
    let used = 0

    const write = async (chunk: Uint8Array) => {
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + PIECE - used)
        memory.set(part, used)
        used += part.length
        at += part.length
        if (used < PIECE) continue
        const key = `${prefix}/${pieces.length}`
        pieces.push(key)
        this.#stored.pieces.push(key)
        await awaitWrite(this.#bucket.put(key, memory))
        used = 0
      }
    }
    const close = async () => {
      const attachment = toAttachment(this.#paywallId, image, pieces.length * PIECE + used)
      this.#stored.attachments.push(attachment)
      await awaitWrite(this.#join(attachment, pieces, memory.subarray(0, used)))
    }
    return { write, close }
  }

  /** Joins an object from pieces and the remaining bytes, as a stream. */
  async #join({ object_key: key, media_type: contentType, size }: Attachment, pieces: string[], rest: Uint8Array) {
    const options = { httpMetadata: { contentType } }
    if (pieces.length === 0) return this.#bucket.put(key, rest, options)
    const { readable, writable } = new FixedLengthStream(size)
    const fill = async () => {
      for (const each of pieces) {
        const piece = await this.#bucket.get(each)
        if (!piece) throw new Error('a piece of an image is missing')
        await piece.body.pipeTo(writable, { preventClose: true })
      }
      const writer = writable.getWriter()
      await writer.write(rest)
      await writer.close()
    }
    return Promise.all([this.#bucket.put(key, readable, options), fill()])
  }
}

/** Awaits R2. A failed write may have succeeded nevertheless. */
async function awaitWrite(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (cause) {
    throw new ApiError(sharedErrors.storage_unavailable, { cause, retryAfter: 2 })
  }
}

/** Deletes unused objects. If that fails they stay, which is harmless: no ticket refers to them. */
export async function discard(bucket: R2Bucket, keys: string[]): Promise<void> {
  if (keys.length === 0) return
  try {
    await bucket.delete(keys)
  } catch (cause) {
    log('warn', 'images of a refused ticket not deleted', { images: keys.length, cause })
  }
}
