import type { AccountContext } from '../domain/context.ts'
import type { DomainEvent, NewEvent } from '../domain/domain-events.ts'

/** The domain event with a name: `DomainEventOf<'refund.created'>`. */
export type DomainEventOf<What extends DomainEvent['what']> = Named<DomainEvent, What>

type Named<One, What> = One extends { what: infer Names } ? (What extends Names ? One & { what: What } : never) : never

/** A processor's event: complete, as type and object, or as type only. */
export type Made = NewEvent | [type: string, object: object] | string

/** The events that a processor sends for each domain event, in order; none for domain events that are not listed. */
type EventTable = {
  [What in DomainEvent['what']]?: Made[] | ((domainEvent: DomainEventOf<What>, context: AccountContext) => Made[])
}

/** Entries for domain events whose event types have the same names. */
export const sameNames = <What extends DomainEvent['what']>(...whats: What[]) =>
  Object.fromEntries<string[]>(whats.map((what) => [what, [what]])) as Record<What, string[]>

/** Creates an event from its type; null: no event. */
type MakeEvent = (type: string, domainEvent: DomainEvent, context: AccountContext) => NewEvent | null

/** @param createEvent by default the event's object is the subject of the domain event */
export const createEvents =
  (table: EventTable, createEvent: MakeEvent = (type, ...about) => ({ type, object: showSubject(...about) })) =>
  (domainEvent: DomainEvent, context: AccountContext): NewEvent[] => {
    const entry: Made[] | ((domainEvent: never, context: AccountContext) => Made[]) = table[domainEvent.what] ?? []
    const made = Array.isArray(entry) ? entry : entry(domainEvent as never, context)
    return made.flatMap((event) => {
      if (typeof event === 'string') return createEvent(event, domainEvent, context) ?? []
      return Array.isArray(event) ? { type: event[0], object: event[1] } : event
    })
  }

/** The subject of a domain event, as the processor's API shows it. */
export function showSubject(domainEvent: DomainEvent, context: AccountContext): { id: string } {
  if ('page' in domainEvent) return context.show('pages', domainEvent.page)
  if ('subscription' in domainEvent) return context.show('subscriptions', domainEvent.subscription)
  if ('invoice' in domainEvent) return context.show('invoices', domainEvent.invoice)
  if ('dispute' in domainEvent) return context.show('disputes', domainEvent.dispute)
  if ('refund' in domainEvent) return context.show('refunds', domainEvent.refund)
  return context.show('payments', domainEvent.payment)
}
