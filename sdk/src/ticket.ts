import { type CallOptions, type Client, unwrap } from './client.ts'
import type { components } from './generated/api.ts'
import type { OpenedTicket } from './schemas.ts'

/** A support ticket, and its images: five at most, JPEG, PNG or WebP, of 10 MB each. */
export type TicketOrder = components['schemas']['OpenTicket'] & { files?: Blob[] }

/** How long a ticket with images may take, in milliseconds: on a phone most of it is the way there. */
const UPLOAD_TIMEOUT_MS = 60_000

/** Opens a support ticket: as a form if there are images, else as JSON. */
export function openTicket(
  client: Client,
  paywall: string,
  { files = [], ...fields }: TicketOrder,
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
