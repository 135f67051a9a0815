import { bearerParameters, type TokenBearer } from '../../lib/auth/gate.ts'
import type { ImageType } from '../../lib/images/image-type.ts'
import type { TicketRefusal } from './contract.ts'

/** Who asks for help. Anybody can write a guest's address, so it proves nothing; null while it is not known yet. */
export type Sender = TokenBearer | { kind: 'guest'; email: string | null }

/** The sender as the database functions take it. */
export function senderParameters(sender: Sender): ReturnType<typeof bearerParameters> | { guestEmail: string | null } {
  return sender.kind === 'user' ? bearerParameters(sender) : { guestEmail: sender.email }
}

/** An image in R2. Its key is random: it cannot be guessed, and has nothing in it that the sender wrote. */
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

/** Why a ticket is not opened. `wait` is the number of seconds until there is room for it in a quota or budget that is used up. */
type Refused = { verdict: Exclude<TicketRefusal, Full> } | { verdict: Full; wait: number }
type Full = 'over_quota' | 'over_guest_tickets' | 'over_image_budget'

/** What precheck_ticket gives. */
export type PrecheckResult = Refused | { verdict: 'room' }

/** What open_ticket gives. `queued` is how many deliveries it has queued. */
export type OpenResult = Refused | { verdict: 'opened'; ticket: { id: number; status: 'open' }; queued: number }
