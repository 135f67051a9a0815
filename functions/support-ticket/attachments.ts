import { ApiError } from '../../lib/errors.ts'
import { log } from '../../lib/log.ts'
import type { ImageType } from './image-type.ts'
import type { Image } from './receive-form.ts'

/** An image in R2. Nothing in its name can be guessed, and nothing of it came from its sender. */
export interface Attachment {
  object_key: string
  file_name: string
  media_type: ImageType
  size: number
}

/** Longest file name that is kept, in characters. */
const NAME_LIMIT = 255

/** What an image is to be kept as. */
export function attachmentOf(paywallId: string, { fileName, type, bytes }: Image): Attachment {
  return {
    object_key: `${paywallId}/${crypto.randomUUID()}`,
    file_name: [...fileName.replace(/\p{Cc}/gu, '')].slice(0, NAME_LIMIT).join(''),
    media_type: type,
    size: bytes.byteLength,
  }
}

/** @throws ApiError 503 `storage_unavailable`: it may have been stored or not */
export async function storeAttachment(bucket: R2Bucket, attachment: Attachment, bytes: Uint8Array): Promise<void> {
  try {
    await bucket.put(attachment.object_key, bytes, { httpMetadata: { contentType: attachment.media_type } })
  } catch (cause) {
    throw new ApiError(503, 'storage_unavailable', { cause, retryAfter: 2 })
  }
}

/** Forgets the images of a ticket that was not opened. One that stays nevertheless is nobody's and harms nobody. */
export async function discardAttachments(bucket: R2Bucket, attachments: Attachment[]): Promise<void> {
  try {
    await bucket.delete(attachments.map(({ object_key }) => object_key))
  } catch (cause) {
    log('warn', 'images of a refused ticket stay in storage', { images: attachments.length, cause })
  }
}
