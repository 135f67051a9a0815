import * as z from 'zod'
import type { UserRefusal } from '../../lib/auth/gate.ts'
import { userErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { ApiError, defineErrors } from '../../lib/http/errors.ts'
import { email } from '../../lib/http/user-fields.ts'
import { IMAGE_TYPES } from '../../lib/images/image-type.ts'

export const PATH = '/api/v1/paywall/:id/support/ticket'

/** How many images a ticket may have, and how large each may be, in bytes. */
export const FILES_LIMIT = 5
export const FILE_LIMIT = 10 * 1024 * 1024

/** What strangers of one network, or on one paywall, have used up. */
type Over = 'over_guest_tickets' | 'over_image_budget'

export type TicketRefusal = UserRefusal | 'over_quota' | Over

/** The error for each refusal (contract section 7). */
export const errors = defineErrors<TicketRefusal | 'bad_token'>({
  ...userErrors,
  unknown_paywall: [404, 'paywall_not_found'],
  over_quota: [429, 'rate_limit_exceeded'],
  over_guest_tickets: [429, 'rate_limit_exceeded'],
  over_image_budget: [429, 'rate_limit_exceeded'],
})

/** What can be wrong with the files of a form. */
export type Fault = 'too_many_files' | 'invalid_file'

/** The error for each fault of a form. */
export const faultErrors = defineErrors<Fault | 'invalid_form'>({
  too_many_files: [400, 'too_many_files'],
  invalid_file: [400, 'invalid_file'],
  invalid_form: [400, 'invalid_payload'],
})

const WHAT_HELPS: Record<Over, string> = {
  over_guest_tickets: 'Guests in your network have opened too many tickets today: sign in, or come back later',
  over_image_budget: 'Too many images were sent from your network, or to this paywall, today: leave them out',
}

const isOver = (refusal: TicketRefusal): refusal is Over => refusal in WHAT_HELPS

/** `wait` is the number of seconds until there is room in a quota or budget that is used up. */
export function refuseTicket({ verdict, wait }: { verdict: TicketRefusal; wait?: number }): ApiError {
  return new ApiError(...errors[verdict], {
    ...(wait !== undefined && { retryAfter: wait }),
    ...(isOver(verdict) && { detail: { message: WHAT_HELPS[verdict] } }),
  })
}

/** Characters as people count them: an emoji is one, whatever it takes in UTF-16. */
const hasLength = (text: string, [least, most]: Bounds) => {
  const length = [...text].length
  return length >= least && length <= most
}
type Bounds = readonly [least: number, most: number]

const SUBJECT: Bounds = [3, 200]
const CONTENT: Bounds = [1, 5000]

/** A line break is one character, as people count and as a browser's form does, which sends two. */
const withShortBreaks = (text: string) => text.replaceAll('\r\n', '\n')

/** A required text. Lengths are checked after it: a missing text is refused first (contract section 7). */
const text = ([minLength, maxLength]: Bounds, description: string) =>
  z.string('invalid_payload').overwrite(withShortBreaks).trim().meta({ minLength, maxLength, description })

const EMAIL_REQUIRED = 'email_required'

const message = {
  subject: text(SUBJECT, 'What it is about, briefly. Surrounding white space is removed'),
  content: text(CONTENT, 'The message. Surrounding white space is removed, and each line break becomes one character'),
}

const guestMessage = {
  ...message,
  customer_email: z.unknown().optional().meta({
    type: 'string',
    format: 'email',
    maxLength: 254,
    description: "The guest's address, for an answer. Required without a Bearer token, ignored with one",
  }),
}

/** What a guest sends, as JSON or as the text fields of a form. The messages are the contract's codes, in its order. */
export const GuestBody = z
  .object(guestMessage, 'invalid_payload')
  .refine(({ subject }) => hasLength(subject, SUBJECT), 'subject_length')
  .refine(({ content }) => hasLength(content, CONTENT), 'content_length')
  .transform(({ customer_email, ...body }, context) => {
    const address = email.pipe(z.email().max(254)).safeParse(customer_email)
    if (address.success) return { ...body, email: address.data }
    context.addIssue({ code: 'custom', message: EMAIL_REQUIRED, path: ['customer_email'] })
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
    status: z.literal('open').describe('A new ticket is always open'),
  }),
})

const acceptedTypes = IMAGE_TYPES.join(', ')

/** The same as a form. Its parts are looked at as they come, in receive-form.ts. */
const Form = z.object({
  ...guestMessage,
  files: z
    .array(z.file().max(FILE_LIMIT))
    .max(FILES_LIMIT)
    .optional()
    .describe(`Images: ${acceptedTypes}, up to 10 MB each. Their content must be of the type that they are sent as`),
})

const example = { ticket: { id: 42, status: 'open' } } satisfies z.input<typeof Reply>

/** All errors, with the one of `GuestBody`. */
const allErrors = { ...errors, ...faultErrors, ...defineErrors({ no_address: [400, EMAIL_REQUIRED] }) }

export const operations: ApiOperation[] = [
  {
    id: 'openTicket',
    method: 'post',
    path: PATH,
    tag: 'Support',
    summary: 'Open a support ticket',
    description:
      'Takes the message of a user or a guest, as JSON or, with images, as a form. The event `ticket.created` tells you of ' +
      'it. A user may open two tickets in 24 hours, and so may guests with the same address. An owner key is ignored here. Every call opens a ' +
      'ticket of its own.',
    access: ['user', 'anybody'],
    bodies: { OpenTicket: GuestBody },
    form: { name: 'OpenTicketForm', schema: Form, contentTypes: { files: acceptedTypes } },
    example: {
      subject: 'No receipt',
      content: 'I paid yesterday and got no receipt.',
      customer_email: 'ada@example.com',
    } satisfies z.input<typeof GuestBody>,
    reply: { status: 200, description: 'The ticket is open', body: { name: 'OpenedTicket', schema: Reply, example } },
    errors: allErrors,
    ifOutcomeUnknown:
      'it is not known whether the ticket was opened. If it was, a repeat opens a second one, and both count for the quota.',
    needs: ['storage'],
  },
]
