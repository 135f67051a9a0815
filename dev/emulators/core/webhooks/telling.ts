import type { AccountContext } from '../domain/context.ts'
import type { Happening, NewEvent } from '../domain/happenings.ts'

/** What is known of a thing that happened: `Told<'refund.created'>`. */
export type Told<What extends Happening['what']> = Named<Happening, What>

type Named<One, What> = One extends { what: infer Names } ? (What extends Names ? One & { what: What } : never) : never

/** An event as a processor makes it, its type and its object, or its type alone. */
export type Made = NewEvent | [type: string, object: object] | string

/** What a processor tells of each thing that can happen, in the order in which it tells; nothing of what is not here. */
type Tells = {
  [What in Happening['what']]?: Made[] | ((happening: Told<What>, context: AccountContext) => Made[])
}

/** Things that are told by a type of the same name. */
export const byTheirNames = <What extends Happening['what']>(...whats: What[]) =>
  Object.fromEntries<string[]>(whats.map((what) => [what, [what]])) as Record<What, string[]>

/** Makes an event of which the type alone is said; null: it is not told. */
type MakeEvent = (type: string, happening: Happening, context: AccountContext) => NewEvent | null

/** @param eventOf by default the event's object is what it happened to */
export const tellingOf =
  (tells: Tells, eventOf: MakeEvent = (type, ...about) => ({ type, object: shownOf(...about) })) =>
  (happening: Happening, context: AccountContext): NewEvent[] => {
    const tell: Made[] | ((happening: never, context: AccountContext) => Made[]) = tells[happening.what] ?? []
    const made = Array.isArray(tell) ? tell : tell(happening as never, context)
    return made.flatMap((event) => {
      if (typeof event === 'string') return eventOf(event, happening, context) ?? []
      return Array.isArray(event) ? { type: event[0], object: event[1] } : event
    })
  }

/** What something happened to, as the processor shows it. */
export function shownOf(happening: Happening, context: AccountContext): { id: string } {
  if ('page' in happening) return context.show('pages', happening.page)
  if ('subscription' in happening) return context.show('subscriptions', happening.subscription)
  if ('invoice' in happening) return context.show('invoices', happening.invoice)
  if ('dispute' in happening) return context.show('disputes', happening.dispute)
  if ('refund' in happening) return context.show('refunds', happening.refund)
  return context.show('payments', happening.payment)
}
