import { ApiError } from '../../lib/http/errors.ts'
import { log } from '../../lib/http/log.ts'
import { sharedWords } from '../../lib/http/shared-words.ts'
import type { Image } from './receive-form.ts'
import type { Attachment } from './ticket.ts'

/** Longest file name that is kept, in characters. */
const NAME_LIMIT = 255

/** What an image is to be kept as. */
export function attachmentOf(paywallId: string, { fileName, type, size }: Image): Attachment {
  return {
    object_key: `${paywallId}/${crypto.randomUUID()}`,
    file_name: [...fileName.replace(/\p{Cc}/gu, '')].slice(0, NAME_LIMIT).join(''),
    media_type: type,
    size,
  }
}

/** @throws ApiError 503 `storage_unavailable`: it may be there all the same */
export async function storeAttachment(bucket: R2Bucket, attachment: Attachment, content: Uint8Array[]): Promise<void> {
  const { readable, writable } = new FixedLengthStream(attachment.size)
  const options = { httpMetadata: { contentType: attachment.media_type } }
  try {
    await Promise.all([bucket.put(attachment.object_key, readable, options), write(content, writable)])
  } catch (cause) {
    throw new ApiError(...sharedWords.storage_unavailable, { cause, retryAfter: 2 })
  }
}

async function write(content: Uint8Array[], writable: WritableStream<Uint8Array>): Promise<void> {
  const writer = writable.getWriter()
  for (const chunk of content) await writer.write(chunk)
  await writer.close()
}

/** Deletes the images of a ticket that was not opened. If that fails they stay, which does no harm: no ticket has them. */
export async function discardAttachments(bucket: R2Bucket, attachments: Attachment[]): Promise<void> {
  try {
    await bucket.delete(attachments.map(({ object_key }) => object_key))
  } catch (cause) {
    log('warn', 'images of a refused ticket stay in storage', { images: attachments.length, cause })
  }
}
