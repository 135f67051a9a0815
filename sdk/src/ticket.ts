import { type CallOptions, type Client, unwrap } from './client.ts'
import type { components } from './generated/api.ts'
import type { OpenedTicket } from './schemas.ts'

/** A support ticket with up to five images: JPEG, PNG or WebP, 10 MB each. */
export type TicketParams = components['schemas']['OpenTicket'] & { files?: Blob[] }

/** The timeout of a ticket with images, in milliseconds: the upload from a phone is slow. */
const UPLOAD_TIMEOUT_MS = 60_000

/** Opens a support ticket. Sends a multipart form if there are images, else JSON. */
export function openTicket(
  client: Client,
  paywall: string,
  { files = [], ...fields }: TicketParams,
  options: CallOptions = {},
): Promise<OpenedTicket> {
  const hasFiles = files.length > 0
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) if (typeof value === 'string') form.append(name, value)
  for (const file of files) form.append('files', file)
  const how = hasFiles ? { ...options, timeout: options.timeout ?? UPLOAD_TIMEOUT_MS } : options
  const call = client(how).POST('/api/v1/paywall/{id}/support/ticket', {
    params: { path: { id: paywall } },
    body: fields,
    ...(hasFiles && { bodySerializer: () => form }),
  })
  return unwrap(call)
}
