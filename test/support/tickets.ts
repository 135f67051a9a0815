import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { Reply } from './call.ts'
import { expectDocumented } from './expect-documented.ts'
import type { TestWorld } from './world.ts'

/** The magic bytes of each file type. */
const MAGIC_BYTES = {
  'image/jpeg': Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
  'image/png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  'image/webp': Buffer.concat([Buffer.from('RIFF'), Buffer.from([0x10, 0, 0, 0]), Buffer.from('WEBPVP8 ')]),
} as const

export type ImageType = keyof typeof MAGIC_BYTES

/** A file in a form, as its sender declares it. */
export interface Upload {
  name?: string
  type: string
  bytes: Buffer<ArrayBuffer>
}

/** A file of `size` bytes: the magic bytes of an image, then random ones. */
export function randomImage(type: ImageType = 'image/png', size = 2_000): Upload {
  const magic = MAGIC_BYTES[type]
  return { type, bytes: Buffer.concat([magic, randomBytes(size - magic.length)]) }
}

export const MESSAGE = { subject: 'It does not load', content: 'I paid and see nothing.' }

const OpenedReply = z.object({ ticket: z.object({ id: z.int(), status: z.literal('open') }) })

/** The id of the opened ticket. Throws the whole reply if it is anything else. */
export function ticketId(reply: Reply): number {
  if (reply.status !== 200) throw new Error(`no ticket: ${JSON.stringify(reply)}`)
  return OpenedReply.parse(reply.body).ticket.id
}

export const ticketPath = (paywallId: string) => `/api/v1/paywall/${paywallId}/support/ticket`

/** A form as a browser sends it: text fields, then files. `field` is the name of the files' field. */
export function ticketForm(fields: Record<string, string>, uploads: Upload[] = [], field = 'files'): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const { name = 'screen.png', type, bytes } of uploads) form.append(field, new File([bytes], name, { type }))
  return form
}

/** Sends a form, or any other body, through the gateway. */
export async function sendForm(
  world: TestWorld,
  body: FormData | Buffer<ArrayBuffer> | ReadableStream,
  {
    paywallId = world.paywall.id,
    token,
    headers,
  }: { paywallId?: string; token?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const url = world.url + ticketPath(paywallId)
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    body,
    duplex: 'half', // required for a body that is a stream
  })
  await expectDocumented({ url, method: 'POST' }, response)
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.json() }
}

/** The keys of the images in the bucket, and of those that tickets refer to. */
export async function attachmentKeys(world: TestWorld): Promise<{ stored: string[]; known: string[] }> {
  const bucket = await world.workers.bucket('support-ticket', 'ATTACHMENTS')
  const { objects } = await bucket.list()
  const { rows } = await world.database.query<{ object_key: string }>('select object_key from ticket_attachments')
  return { stored: objects.map(({ key }) => key).toSorted(), known: rows.map((row) => row.object_key).toSorted() }
}
