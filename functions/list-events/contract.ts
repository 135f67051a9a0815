import * as z from 'zod'
import { time } from '../../lib/access/purchase.ts'
import { missingKeyErrors, ownerErrors } from '../../lib/auth/gate-errors.ts'
import { EVENT_TYPES } from '../../lib/events/types.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { describeCodes } from '../../lib/http/code-meanings.ts'
import { defineErrors } from '../../lib/http/errors.ts'

export const PATH = '/api/v1/events'

/** `custom_domain`: on a paywall's own domain. `cursor_expired`: events after the cursor are no longer kept. */
export type ListRefusal = 'unknown_key' | 'custom_domain' | 'cursor_expired'

export const errors = defineErrors<ListRefusal | 'no_credential'>({
  ...missingKeyErrors,
  unknown_key: ownerErrors.unknown_key,
  custom_domain: [404, 'not_found', "This is not served on a paywall's own domain, but on the service's host"],
  cursor_expired: [
    410,
    'cursor_expired',
    'Events after this cursor are no longer kept. `oldest_cursor` is the first that works',
  ],
})

describeCodes({
  invalid_cursor: '`after` must be a cursor of an earlier response',
  invalid_limit: '`limit` must be an integer from 1 to 100',
})

/** The most that one call returns, and the default of `limit`. */
export const MAX_EVENTS = 100

/** What a cursor contains, in microseconds. */
export interface Cursor {
  /** The position of the last event that was returned. */
  position: number
  /** When its reader began, or last had all events. */
  readSince: number
}

/** A cursor is in base 36: opaque, so that nobody computes one. */
export const toCursor = ({ position, readSince }: Cursor): string =>
  `${position.toString(36)}.${readSince.toString(36)}`

const isCursor = (text: string) => /^[0-9a-z]{1,10}\.[0-9a-z]{1,10}$/.test(text)

export function parseCursor(text: string): Cursor {
  const [position = 0, readSince = 0] = text.split('.').map((part) => Number.parseInt(part, 36))
  return { position, readSince }
}

export const Query = z.object({
  after: z
    .string()
    .refine(isCursor, 'invalid_cursor')
    .transform(parseCursor)
    .optional()
    .describe('The `next_cursor` of an earlier response. Left out: the oldest event that is kept'),
  limit: z
    .string()
    .refine((limit) => /^([1-9]\d?|100)$/.test(limit), 'invalid_limit')
    .transform(Number)
    .optional()
    .describe('How many events to return at most: 1 to 100. Default: 100'),
})

const Event = z
  .looseObject({
    id: z.string(),
    type: z.enum(EVENT_TYPES),
    timestamp: time,
    is_test: z.boolean(),
    data: z.looseObject({ paywall_id: z.string() }),
  })
  .describe('The body that is also sent to webhook endpoints: see the event of this type')

const cursor = z.string().describe('A cursor')

export const Reply = z.object({
  events: z
    .array(Event)
    .describe('In the order in which they are listed, which never changes. A user’s events are in their sequence'),
  next_cursor: cursor.describe('Send it as `after` to get the following events. Store it once you have handled these'),
  has_more: z.boolean().describe('Whether there are more events already'),
})

const expired = z.object({
  oldest_cursor: cursor.describe('Send it as `after` to continue with the oldest event that is kept'),
})

const example = { events: [], next_cursor: 'hj2z4k0w5c.hj2z4k1f9s', has_more: false } satisfies z.input<typeof Reply>

export const operations: ApiOperation[] = [
  {
    id: 'listEvents',
    method: 'get',
    path: PATH,
    tag: 'Events',
    summary: 'List events',
    description:
      'Returns the events of your test paywalls for a test key, and of your live ones for a live key: the same events ' +
      'that webhook endpoints get, in one order. A backend that was down catches up with them, and one without a webhook ' +
      'endpoint can poll them. New events always come after every cursor that was returned. Events are listed for 30 ' +
      'days. Personal data is removed from their bodies 30 days after they happened, even if they are listed for ' +
      "longer: the user has no e-mail address then, and a ticket no text. The list is not served on a paywall's own domain.",
    access: ['owner'],
    query: Query,
    example: { limit: '100' } satisfies z.input<typeof Query>,
    reply: {
      status: 200,
      description: 'The events after the cursor',
      body: { name: 'EventList', schema: Reply, example },
    },
    errors,
    details: { cursor_expired: expired },
  },
]
