import type { Context } from 'hono'
import { foreseeTicket } from '../../generated/calls.ts'
import type { Bearer } from '../../lib/auth/credential.ts'
import type { Database } from '../../lib/db/connect.ts'
import type { Place } from '../../lib/db/gate.ts'
import { refuse } from '../../lib/http/errors.ts'
import { email } from '../../lib/http/identity.ts'
import { parse, parseJson } from '../../lib/http/parse.ts'
import { attachmentOf, storeAttachment } from './attachments.ts'
import { faultWords, GuestBody, refuseTicket, UserBody } from './contract.ts'
import { isForm } from './multipart.ts'
import { type Fields, receiveForm } from './receive-form.ts'
import { type Attachment, type ForeseeResult, type NewTicket, type Sender, senderParameters } from './ticket.ts'

/** Whom and what a request to open a ticket is about. */
export interface Desk {
  db: Database
  bucket: R2Bucket
  place: Place
  bearer: Exclude<Bearer, { kind: 'bad_token' }>
}

/**
 * Reads what a request asks for. The images of a form are stored on the way and added to `attachments`, also when the
 * request is refused in the end: then the caller discards them.
 *
 * @throws ApiError with the codes of contract section 7
 */
export async function readTicket(c: Context, desk: Desk, attachments: Attachment[]): Promise<NewTicket> {
  const { bearer } = desk
  const schema = bearer.kind === 'user' ? UserBody : GuestBody
  const { email: address, ...message } = isForm(c.req.raw)
    ? await readForm(c.req.raw, desk, schema, attachments)
    : await parseJson(c.req, schema)
  return { who: senderOf(bearer, address), ...message }
}

/**
 * Images come before what decides about them: the form's later fields, and the statement. They are stored first, since a
 * crash may leave an image that no ticket has, but never a ticket whose image is not there. So that a sender without
 * quota cannot make us store 50 MB with every try, one look at the quota comes before the first image.
 */
async function readForm(
  request: Request,
  { db, bucket, place, bearer }: Desk,
  schema: typeof UserBody | typeof GuestBody,
  attachments: Attachment[],
) {
  const outlook: { foreseen?: ForeseeResult } = {}
  const { fields, fault } = await receiveForm(request, async (image, fieldsBefore) => {
    outlook.foreseen ??= await foreseeTicket<ForeseeResult>(db, {
      ...place,
      ...senderParameters(senderOf(bearer, addressIn(fieldsBefore))),
    })
    if (outlook.foreseen.verdict !== 'room') return
    const attachment = attachmentOf(place.paywallId, image)
    attachments.push(attachment)
    await storeAttachment(bucket, attachment, image.content)
  })
  const body = parse(schema, Object.fromEntries(fields))
  if (fault) throw refuse(faultWords[fault])
  const { foreseen } = outlook
  if (foreseen && foreseen.verdict !== 'room') throw refuseTicket(foreseen)
  return body
}

/** The address a guest gave, if it has by now. */
const addressIn = (fields: Fields) => email.safeParse(fields.get('customer_email')).data ?? null

const senderOf = (bearer: Desk['bearer'], address: string | null): Sender =>
  bearer.kind === 'user' ? { kind: 'user', userId: bearer.userId } : { kind: 'guest', email: address }
