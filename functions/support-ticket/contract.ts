import * as z from 'zod'
import { ApiError, type Words } from '../../lib/errors.ts'
import { email } from '../../lib/identity.ts'
import type { TicketRefusal } from './open-ticket.sql.ts'

/** How this endpoint says each refusal (contract section 7). */
export const words: Words<TicketRefusal> = {
  unknown_user: [401, 'invalid_token'],
  unknown_paywall: [404, 'paywall_not_found'],
  unknown_identity: [401, 'invalid_token'],
  not_member: [401, 'invalid_token'],
  over_quota: [429, 'rate_limit_exceeded'],
}

/** `wait` is the number of seconds until there is room in a full quota. */
export function refuseTicket(refusal: TicketRefusal, wait: number): ApiError {
  return new ApiError(...words[refusal], refusal === 'over_quota' ? { retryAfter: wait } : {})
}

/** Characters as people count them: an emoji is one, whatever it takes in UTF-16. */
const hasLength = (text: string, [least, most]: Bounds) => {
  const length = [...text].length
  return length >= least && length <= most
}
type Bounds = readonly [least: number, most: number]

const SUBJECT: Bounds = [3, 200]
const CONTENT: Bounds = [1, 5000]

/** A text that must be there. Its length is looked at later: first every text must be there (contract section 7). */
const text = ([minLength, maxLength]: Bounds, description: string) =>
  z.string('invalid_payload').trim().meta({ minLength, maxLength, description })

const message = {
  subject: text(SUBJECT, 'What it is about, in a line. White space around it is dropped'),
  content: text(CONTENT, 'What the user has to say. White space around it is dropped'),
}

/** What a guest sends, as JSON or as the text fields of a form. The messages are the contract's codes, in its order. */
export const GuestBody = z
  .object(
    {
      ...message,
      customer_email: z.unknown().optional().meta({
        type: 'string',
        format: 'email',
        maxLength: 254,
        description: 'Where the guest can be answered. Not looked at when a Bearer token is sent',
      }),
    },
    'invalid_payload',
  )
  .refine(({ subject }) => hasLength(subject, SUBJECT), 'subject_length')
  .refine(({ content }) => hasLength(content, CONTENT), 'content_length')
  .transform(({ customer_email, ...body }, context) => {
    const address = email.pipe(z.email().max(254)).safeParse(customer_email)
    if (address.success) return { ...body, email: address.data }
    context.addIssue({ code: 'custom', message: 'email_required', path: ['customer_email'] })
    return z.NEVER
  })

/** What a signed-in user sends. Its own address counts, whatever the body says; an anonymous user has none. */
export const UserBody = z
  .object(message, 'invalid_payload')
  .refine(({ subject }) => hasLength(subject, SUBJECT), 'subject_length')
  .refine(({ content }) => hasLength(content, CONTENT), 'content_length')
  .transform((body) => ({ ...body, email: null }))

export const Reply = z.object({
  ticket: z.object({
    id: z.int().describe('The number of the ticket'),
    status: z.literal('open').describe('A new ticket is open'),
  }),
})
