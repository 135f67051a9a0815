import { browseEvents, replayEvents, showEvent } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { ApiError, apiError, defineErrors } from '../../lib/http/errors.ts'
import { type ActRefusal, act } from './act.ts'
import { readReason } from './form.ts'
import { type ConsoleContext, isTestMode, type PageResult, sessionErrors, sessionHash } from './session.ts'
import { showPage } from './show.ts'
import { type EventDetails, eventPage } from './views/event.tsx'
import { type EventFilter, type EventList, eventsPage } from './views/events.tsx'

type ReplayResult =
  | ActRefusal
  | { verdict: 'unknown_event' | 'unknown_endpoint' }
  | { verdict: 'done'; replayed: number; next_since: string | null }

const errors = defineErrors<'unknown_event' | 'unknown_endpoint'>({
  unknown_event: [404, 'event_not_found', 'There is no such event'],
  unknown_endpoint: [404, 'endpoint_not_found', 'There is no such webhook endpoint'],
})

export async function serveEvents(c: ConsoleContext): Promise<Response> {
  const filter: EventFilter = {
    type: c.req.query('type') || null,
    paywallId: c.req.query('paywall') || null,
    state: c.req.query('state') || null,
  }
  const row = await browseEvents<PageResult<EventList>>(connect(c.env), {
    sessionHash: await sessionHash(c),
    isTest: isTestMode(c),
    type: filter.type,
    paywallId: filter.paywallId,
    state: filter.state,
    before: c.req.query('before'),
  })
  if (row.verdict !== 'found') throw apiError(sessionErrors[row.verdict])
  return showPage(c, eventsPage({ ...row, filter, mode: isTestMode(c) ? 'test' : 'live' }))
}

export async function serveEvent(c: ConsoleContext): Promise<Response> {
  const row = await showEvent<PageResult<EventDetails, 'unknown_event'>>(connect(c.env), {
    sessionHash: await sessionHash(c),
    isTest: isTestMode(c),
    eventId: c.req.param('event') ?? '',
  })
  if (row.verdict === 'unknown_event') throw apiError(errors.unknown_event)
  if (row.verdict !== 'found') throw apiError(sessionErrors[row.verdict])
  return showPage(c, eventPage({ ...row, mode: isTestMode(c) ? 'test' : 'live' }))
}

/** Sends events again: one, or those of a time. */
export const replay = act(async (c, session, form) => {
  const row = await replayEvents<ReplayResult>(connect(c.env), {
    sessionHash: session,
    isTest: isTestMode(c),
    eventId: form.event || null,
    endpointId: form.endpoint || null,
    since: readTime(form.since),
    until: readTime(form.until),
    failedOnly: form.failed === 'yes',
    reason: readReason(form),
  })
  switch (row.verdict) {
    case 'unknown_event':
    case 'unknown_endpoint':
      throw apiError(errors[row.verdict])
    case 'done': {
      c.executionCtx.waitUntil(wakeDeliverEvents(c.env, row.replayed))
      const mode = isTestMode(c) ? 'test' : 'live'
      return form.event ? `/${mode}/events/${form.event}` : `/${mode}/events?state=pending`
    }
    default:
      return row
  }
})

/** A time as a form's `datetime-local` field has it, which is meant in UTC; null if it is empty. @throws ApiError 400 */
function readTime(text = ''): string | null {
  if (text === '') return null
  const time = new Date(`${text}Z`)
  if (Number.isNaN(time.getTime())) throw new ApiError([400, 'invalid_time', 'invalid_time', `${text} is no time`])
  return time.toISOString()
}
