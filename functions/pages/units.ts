// How many units of a price with `per_unit` a visitor wants. A page shows what all of them cost before it sells them.
import { MAX_QUANTITY } from '../../lib/http/input-limits.ts'
import type { Site } from './site.ts'
import type { Price } from './structure.ts'

/** The field of a form, and of a page's query, with the number of units of a price. */
export const unitsField = ({ id }: Pick<Price, 'id'>): string => `units-${id}`

/** The field of a form that repeats for how many units the page has shown the total. */
export const shownUnitsField = ({ id }: Price): string => `shown-units-${id}`

/** The number in a text; null if it is none that a checkout can sell. */
export function parseUnits(text: string): number | null {
  const units = /^\d{1,6}$/.test(text) ? Number(text) : 0
  return units >= 1 && units <= MAX_QUANTITY ? units : null
}

/** The site with the numbers of units from the fields of a form or a query. An invalid number counts as one unit. */
export function withUnits(site: Site, read: (name: string) => string): Site {
  const entered = site.structure.prices.flatMap((price) => {
    const units = price.per_unit ? parseUnits(read(unitsField(price))) : null
    return units === null ? [] : [[price.id, units] as const]
  })
  return { ...site, units: new Map(entered) }
}

/** How many units of a price the visitor wants: one, unless another number was entered. */
export const countUnits = ({ units }: Site, { id }: Price): number => units?.get(id) ?? 1
