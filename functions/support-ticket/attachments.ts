// Images go to R2 as they come. R2 takes an object whose length is known, or parts of 5 MB each, which some thirty senders at once
// would fill a Worker's memory with. So a long image is stored in small pieces, of which the object is put together once its
// length is known. The pieces are deleted afterwards; what a crash leaves of them is under a prefix of its own.
import { ApiError } from '../../lib/http/errors.ts'
import { sharedErrors } from '../../lib/http/shared-errors.ts'
import { log } from '../../lib/log/log.ts'
import type { Image, ImageSink } from './receive-form.ts'
import type { Attachment } from './ticket.ts'

/** Longest file name that is kept, in characters. */
const NAME_LIMIT = 255

/** How much of an image is in memory, in bytes. */
const PIECE = 512 * 1024

/** What a request has stored so far, to be deleted again: pieces in any case, attachments if there is no ticket. */
export interface StoredImages {
  attachments: Attachment[]
  pieces: string[]
}

/** What an image is to be kept as, once its size is known. */
function toAttachment(paywallId: string, { fileName, type }: Image, size: number): Attachment {
  return {
    object_key: `${paywallId}/${crypto.randomUUID()}`,
    file_name: [...fileName.replace(/\p{Cc}/gu, '')].slice(0, NAME_LIMIT).join(''),
    media_type: type,
    size,
  }
}

/** Stores the images of one request, one after the other, with the memory of one piece for all of them. */
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

  /** Begins an image. What it is told is noted in `stored` before it is stored. @throws ApiError 503 `storage_unavailable` */
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
        await storing(this.#bucket.put(key, memory))
        used = 0
      }
    }
    const close = async () => {
      const attachment = toAttachment(this.#paywallId, image, pieces.length * PIECE + used)
      this.#stored.attachments.push(attachment)
      await storing(this.#join(attachment, pieces, memory.subarray(0, used)))
    }
    return { write, close }
  }

  /** Puts an object together of pieces and the rest of it, as a stream. */
  async #join({ object_key: key, media_type: contentType, size }: Attachment, pieces: string[], rest: Uint8Array) {
    const options = { httpMetadata: { contentType } }
    if (pieces.length === 0) return this.#bucket.put(key, rest, options)
    const { readable, writable } = new FixedLengthStream(size)
    const fill = async () => {
      for (const each of pieces) {
        const piece = await this.#bucket.get(each)
        if (!piece) throw new Error('a piece of an image is gone')
        await piece.body.pipeTo(writable, { preventClose: true })
      }
      const writer = writable.getWriter()
      await writer.write(rest)
      await writer.close()
    }
    return Promise.all([this.#bucket.put(key, readable, options), fill()])
  }
}

/** Awaits R2. What failed may be there all the same. */
async function storing(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (cause) {
    throw new ApiError(...sharedErrors.storage_unavailable, { cause, retryAfter: 2 })
  }
}

/** Deletes what is not needed any more. If that fails it stays, which does no harm: no ticket has it. */
export async function discard(bucket: R2Bucket, keys: string[]): Promise<void> {
  if (keys.length === 0) return
  try {
    await bucket.delete(keys)
  } catch (cause) {
    log('warn', 'images of a refused ticket stay in storage', { images: keys.length, cause })
  }
}
