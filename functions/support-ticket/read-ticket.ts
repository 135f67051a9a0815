// Reads a request to open a ticket, as JSON or as a form. A form is streamed, because it may be larger than a Worker's memory:
// 1. before the first image, check the sender's quota and, for anonymous senders, the rate limits: otherwise anybody could make us store
//    images with every call
// 2. store each image as it arrives
// 3. at the form's end check its text fields, its files and the quota, in this order, which is the contract's
import type { Context } from 'hono'
import { precheckTicket } from '../../generated/calls.ts'
import type { Bearer } from '../../lib/auth/credential.ts'
import type { Database } from '../../lib/db/connect.ts'
import { apiError } from '../../lib/http/errors.ts'
import { parse, parseJson } from '../../lib/http/parse.ts'
import type { PaywallTarget } from '../../lib/http/paywall-target.ts'
import { email } from '../../lib/http/user-fields.ts'
import { ImageStore, type StoredImages } from './attachments.ts'
import { faultErrors, GuestBody, refuseTicket, UserBody } from './contract.ts'
import { isForm } from './multipart.ts'
import { type Fields, receiveForm } from './receive-form.ts'
import { type NewTicket, type PrecheckResult, type Sender, senderParameters } from './ticket.ts'

/** The context of a request, besides its body. */
interface TicketContext {
  db: Database
  bucket: R2Bucket
  target: PaywallTarget
  bearer: Exclude<Bearer, { kind: 'bad_token' }>
  /** The caller's network, for the rate limits of anonymous senders; null: not counted. */
  network: string | null
}

/**
 * Reads the ticket. The keys of stored images are added to `stored`, even if the request is refused in the end: then the caller deletes
 * them.
 *
 * @throws ApiError with the codes of contract section 7
 */
export async function readTicket(c: Context, context: TicketContext, stored: StoredImages): Promise<NewTicket> {
  const { bearer } = context
  const schema = bearer.kind === 'user' ? UserBody : GuestBody
  const { email: address, ...message } = isForm(c.req.raw)
    ? await readForm(c.req.raw, context, schema, stored)
    : await parseJson(c.req, schema)
  return { who: readSender(bearer, address), ...message }
}

/**
 * Images are stored before it is known whether a ticket is opened: fields of the form may follow them, and `open_ticket` comes last. A
 * crash may therefore leave an image without a ticket, but never a ticket without its image.
 */
async function readForm(
  request: Request,
  { db, bucket, target, bearer, network }: TicketContext,
  schema: typeof UserBody | typeof GuestBody,
  stored: StoredImages,
) {
  const images = new ImageStore(bucket, target.paywallId, stored)
  const quota: { foreseen?: PrecheckResult } = {}
  const { fields, fault } = await receiveForm(request, async (image, fieldsBefore) => {
    quota.foreseen ??= await precheckTicket<PrecheckResult>(db, {
      ...target,
      network,
      ...senderParameters(readSender(bearer, addressIn(fieldsBefore))),
    })
    return quota.foreseen.verdict === 'room' ? images.open(image) : null
  })
  const body = parse(schema, Object.fromEntries(fields))
  if (fault) throw apiError(faultErrors[fault])
  const { foreseen } = quota
  if (foreseen && foreseen.verdict !== 'room') throw refuseTicket(foreseen)
  return body
}

/** The guest's address, if it has been received by now. */
const addressIn = (fields: Fields) => email.safeParse(fields.get('customer_email')).data ?? null

const readSender = (bearer: TicketContext['bearer'], address: string | null): Sender =>
  bearer.kind === 'user' ? bearer : { kind: 'guest', email: address }
