import { type Client, take } from './client.ts'
import type { components } from './generated/api.ts'
import type { OpenedTicket } from './schemas.ts'

/** A support ticket, and its images: five at most, JPEG, PNG or WebP, of 10 MB each. */
export type TicketOrder = components['schemas']['OpenTicket'] & { files?: Blob[] }

/** Opens a support ticket: as a form if there are images, else as JSON. */
export function openTicket(
  client: ReturnType<Client>,
  paywall: string,
  { files = [], ...fields }: TicketOrder,
): Promise<OpenedTicket> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value)
  for (const file of files) form.append('files', file)
  const call = client.POST('/api/v1/paywall/{id}/support/ticket', {
    params: { path: { id: paywall } },
    body: fields,
    ...(files.length > 0 && { bodySerializer: () => form }),
  })
  return take(call)
}
