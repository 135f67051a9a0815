import { browseEvents, replayEvents, showEvent } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import type { EventDetails } from '../../lib/events/listed-event.ts'
import { wakeDeliverEvents } from '../../lib/events/wake.ts'
import { apiError, defineErrors } from '../../lib/http/errors.ts'
import { type ActRefusal, act } from './act.ts'
import { readQuery, readReason, readTime } from './form.ts'
import { type ConsoleContext, isTestMode, type PageResult, pageMode, sessionErrors, sessionHash } from './session.ts'
import { showPage } from './show.ts'
import { eventPage } from './views/event.tsx'
import { type EventBrowser, type EventFilter, eventsPage } from './views/events.tsx'

type ReplayResult =
  | ActRefusal
  | { verdict: 'unknown_event' | 'unknown_endpoint' }
  | { verdict: 'done'; replayed: number; next_since: string | null }

const errors = defineErrors<'unknown_event' | 'unknown_endpoint'>({
  unknown_event: [404, 'event_not_found', 'There is no such event'],
  unknown_endpoint: [404, 'endpoint_not_found', 'There is no such webhook endpoint'],
})

export async function serveEvents(c: ConsoleContext): Promise<Response> {
  const { type = null, paywall: paywallId = null, state = null, before, since = null } = await readQuery(c)
  const filter: EventFilter = { type, paywallId, state }
  const row = await browseEvents<PageResult<EventBrowser>>(connect(c.env), {
    sessionHash: await sessionHash(c),
    isTest: isTestMode(c),
    type,
    paywallId,
    state,
    before,
  })
  if (row.verdict !== 'found') throw apiError(sessionErrors[row.verdict])
  return showPage(c, eventsPage({ ...row, filter, since, mode: pageMode(c) }))
}

export async function serveEvent(c: ConsoleContext): Promise<Response> {
  const row = await showEvent<PageResult<{ event: EventDetails }, 'unknown_event'>>(connect(c.env), {
    sessionHash: await sessionHash(c),
    isTest: isTestMode(c),
    eventId: c.req.param('event') ?? '',
  })
  if (row.verdict === 'unknown_event') throw apiError(errors.unknown_event)
  if (row.verdict !== 'found') throw apiError(sessionErrors[row.verdict])
  return showPage(c, eventPage({ ...row, mode: pageMode(c) }))
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
      const mode = pageMode(c)
      if (form.event) return `/${mode}/events/${form.event}`
      const query = new URLSearchParams({ state: 'pending', ...(row.next_since && { since: row.next_since }) })
      return `/${mode}/events?${query}`
    }
    default:
      return row
  }
})
