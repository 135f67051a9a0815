import * as z from 'zod'
import type { UserRefusal } from '../../lib/auth/gate.ts'
import { userErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { describeCodes } from '../../lib/http/code-meanings.ts'
import { ApiError, defineErrors } from '../../lib/http/errors.ts'
import {
  type Bounds,
  EMAIL_LENGTH,
  TICKET_CONTENT_LENGTH,
  TICKET_FILE_MEGABYTES,
  TICKET_FILES_LIMIT,
  TICKET_SUBJECT_LENGTH,
} from '../../lib/http/input-limits.ts'
import { paywallErrors } from '../../lib/http/shared-errors.ts'
import { email } from '../../lib/http/user-fields.ts'
import { IMAGE_TYPES } from '../../lib/images/image-type.ts'

export const PATH = '/api/v1/paywall/:id/support/ticket'

/** Maximum number of bytes per image. */
export const FILE_LIMIT = TICKET_FILE_MEGABYTES * 1024 * 1024

/** Rate limits of guests and anonymous users that are used up, for their network or for the paywall. */
type Over = 'over_guest_tickets' | 'over_image_limit'

export type TicketRefusal = UserRefusal | 'over_quota' | Over

/** The error for each refusal (contract section 7). */
export const errors = defineErrors<TicketRefusal | 'bad_token'>({
  ...userErrors,
  ...paywallErrors,
  over_quota: [
    429,
    'rate_limit_exceeded',
    'The user, or guests with this address, already opened two tickets in the last 24 hours',
  ],
  over_guest_tickets: [
    429,
    'rate_limit_exceeded',
    'Guests in this network have reached the daily limit of tickets, which refills gradually. Sign in, or try again later',
  ],
  over_image_limit: [
    429,
    'rate_limit_exceeded',
    'The 24-hour limit of images is reached, for guests on the paywall or for users without a purchase in this network. ' +
      'Send the ticket without images',
  ],
})

/** The errors of a form's files. */
export type Fault = 'too_many_files' | 'invalid_file'

/** The error for each fault of a form. */
export const faultErrors = defineErrors<Fault | 'invalid_form'>({
  too_many_files: [400, 'too_many_files', `A ticket accepts at most ${TICKET_FILES_LIMIT} files`],
  invalid_file: [
    400,
    'invalid_file',
    `A file is larger than ${TICKET_FILE_MEGABYTES} MB, is in another field than \`files\`, is not an image of an accepted type, or does not ` +
      'match its declared type',
  ],
  invalid_form: [400, 'invalid_payload', 'The multipart form is malformed'],
})

/** `wait` is the number of seconds until the used-up quota or rate limit has room again. */
export function refuseTicket({ verdict, wait }: { verdict: TicketRefusal; wait?: number }): ApiError {
  return new ApiError(errors[verdict], wait === undefined ? {} : { retryAfter: wait })
}

/** Counts code points: an emoji is one character, whatever its length in UTF-16. */
const hasLength = (text: string, [min, max]: Bounds) => {
  const length = [...text].length
  return length >= min && length <= max
}

describeCodes({
  invalid_payload: '`subject` and `content` are required and must be strings',
  subject_length: `\`subject\` must have ${TICKET_SUBJECT_LENGTH.join(' to ')} characters`,
  content_length: `\`content\` must have ${TICKET_CONTENT_LENGTH.join(' to ')} characters`,
  email_required: '`customer_email` is required for guests and must be an e-mail address',
})

/** Counts a line break as one character: browsers send two (CRLF) in a form. */
const withShortBreaks = (text: string) => text.replaceAll('\r\n', '\n')

/** A required text. Lengths are checked afterwards: a missing text is reported first (contract section 7). */
const text = ([minLength, maxLength]: Bounds, description: string) =>
  z.string('invalid_payload').overwrite(withShortBreaks).trim().meta({ minLength, maxLength, description })

const EMAIL_REQUIRED = 'email_required'

const message = {
  subject: text(
    TICKET_SUBJECT_LENGTH,
    `The subject, ${TICKET_SUBJECT_LENGTH.join(' to ')} characters. Surrounding white space is removed`,
  ),
  content: text(
    TICKET_CONTENT_LENGTH,
    'The message. Surrounding white space is removed, and each line break counts as one character',
  ),
}

const guestMessage = {
  ...message,
  customer_email: z.unknown().optional().meta({
    type: 'string',
    format: 'email',
    maxLength: EMAIL_LENGTH,
    description: "The guest's e-mail address for the reply. Required without a Bearer token, ignored with one",
  }),
}

/** A guest's ticket, as JSON or as the text fields of a form. The messages are the contract's codes, in its order. */
export const GuestBody = z
  .object(guestMessage, 'invalid_payload')
  .refine(({ subject }) => hasLength(subject, TICKET_SUBJECT_LENGTH), 'subject_length')
  .refine(({ content }) => hasLength(content, TICKET_CONTENT_LENGTH), 'content_length')
  .transform(({ customer_email, ...body }, context) => {
    const address = email.pipe(z.email().max(EMAIL_LENGTH)).safeParse(customer_email)
    if (address.success) return { ...body, email: address.data }
    context.addIssue({ code: 'custom', message: EMAIL_REQUIRED, path: ['customer_email'] })
    return z.NEVER
  })

/** A signed-in user's ticket. The address is the user's own, whatever the body contains; an anonymous user has none. */
export const UserBody = z
  .object(message, 'invalid_payload')
  .refine(({ subject }) => hasLength(subject, TICKET_SUBJECT_LENGTH), 'subject_length')
  .refine(({ content }) => hasLength(content, TICKET_CONTENT_LENGTH), 'content_length')
  .transform((body) => ({ ...body, email: null }))

export const Reply = z.object({
  ticket: z.object({
    id: z.int().describe('The ticket number'),
    status: z.literal('open').describe('Always `open` for a new ticket'),
  }),
})

const acceptedTypes = IMAGE_TYPES.join(', ')

/** The same as a form. Its parts are checked as they arrive, in receive-form.ts. */
const Form = z.object({
  ...guestMessage,
  files: z
    .array(z.file().max(FILE_LIMIT))
    .max(TICKET_FILES_LIMIT)
    .optional()
    .describe(
      `Images: ${acceptedTypes}, up to ${TICKET_FILE_MEGABYTES} MB each. The content must match the declared type`,
    ),
})

const example = { ticket: { id: 42, status: 'open' } } satisfies z.input<typeof Reply>

/** All errors, including that of `GuestBody`. */
const allErrors = {
  ...errors,
  ...faultErrors,
  ...defineErrors({
    no_address: [400, EMAIL_REQUIRED, '`customer_email` is missing or not an e-mail address. Guests must provide one'],
  }),
}

export const operations: ApiOperation[] = [
  {
    id: 'openTicket',
    method: 'post',
    path: PATH,
    tag: 'Support',
    summary: 'Open a support ticket',
    description:
      'Opens a support ticket for a user or a guest, as JSON or, with images, as a form, and emits the event ' +
      '`ticket.created`. A user may open two tickets per 24 hours; guests with the same address share the same ' +
      'limit. An owner key is ignored. Every call opens a new ticket.',
    access: ['user', 'anybody'],
    bodies: { OpenTicket: GuestBody },
    form: { name: 'OpenTicketForm', schema: Form, contentTypes: { files: acceptedTypes } },
    example: {
      subject: 'No receipt',
      content: 'I paid yesterday and got no receipt.',
      customer_email: 'ada@example.com',
    } satisfies z.input<typeof GuestBody>,
    reply: {
      status: 200,
      description: 'The ticket was opened',
      body: { name: 'OpenedTicket', schema: Reply, example },
    },
    errors: allErrors,
    ifOutcomeUnknown:
      'it is unknown whether the ticket was opened. If it was, a retry opens a second one, and both count towards ' +
      'the quota.',
    needs: ['storage'],
  },
]
