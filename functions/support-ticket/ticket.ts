import { bearerParameters, type TokenBearer } from '../../lib/auth/gate.ts'
import type { ImageType } from '../../lib/images/image-type.ts'
import type { TicketRefusal } from './contract.ts'

/** The sender of a ticket. A guest's address is not verified; null while it is not known yet. */
export type Sender = TokenBearer | { kind: 'guest'; email: string | null }

/** The sender as parameters of the database functions. */
export function senderParameters(sender: Sender): ReturnType<typeof bearerParameters> | { guestEmail: string | null } {
  return sender.kind === 'user' ? bearerParameters(sender) : { guestEmail: sender.email }
}

/** An image in R2. Its key is random: it cannot be guessed, and contains nothing that the sender wrote. */
export interface Attachment {
  object_key: string
  file_name: string
  media_type: ImageType
  size: number
}

export interface NewTicket {
  who: Sender
  subject: string
  content: string
}

/** Why a ticket is not opened. `wait` is the number of seconds until a used-up quota or rate limit has room. */
type Refused = { verdict: Exclude<TicketRefusal, Full> } | { verdict: Full; wait: number }
type Full = 'over_quota' | 'over_guest_tickets' | 'over_image_limit'

/** The result of precheck_ticket. */
export type PrecheckResult = Refused | { verdict: 'room' }

/** The result of open_ticket. `queued` is the number of queued deliveries. */
export type OpenResult = Refused | { verdict: 'opened'; ticket: { id: number; status: 'open' }; queued: number }
