import type { AccountContext } from '../domain/context.ts'
import type { Happening, NewEvent } from '../domain/happenings.ts'

type Named<One, What> = One extends { what: infer Names } ? (What extends Names ? One & { what: What } : never) : never

/** An event as a processor makes it, or only its type and its object. */
export type Made = NewEvent | [type: string, object: object]

/** What a processor tells of each thing that can happen, in the order in which it tells; nothing of what is not here. */
type Tells = {
  [What in Happening['what']]?: (happening: Named<Happening, What>, context: AccountContext) => Made[]
}

export const tellingOf =
  (tells: Tells) =>
  (happening: Happening, context: AccountContext): NewEvent[] => {
    const tell: ((happening: never, context: AccountContext) => Made[]) | undefined = tells[happening.what]
    const made = tell?.(happening as never, context) ?? []
    return made.map((event) => (Array.isArray(event) ? { type: event[0], object: event[1] } : event))
  }
