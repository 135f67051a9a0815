import type { Unrecognized } from 'mollie-api-typescript/types/unrecognized.js'
import type * as z from 'zod'
import { dateTime } from '../dates.ts'
import { mollieError } from '../errors.ts'
import type { PageQuery } from '../parameters.ts'

type Scalar = string | number | boolean | null | undefined

/**
 * A type of the official SDK in wire format, where `links` is `_links` and an open enum is any string. The emulator's objects are
 * checked against the SDK's types through this type, so no required field can be missing.
 */
export type Wire<T> =
  T extends Unrecognized<string>
    ? string
    : T extends Scalar
      ? T
      : T extends (infer Element)[]
        ? Wire<Element>[]
        : { [Key in keyof T as Key extends 'links' | 'embedded' ? `_${Key}` : Key]: Wire<T[Key]> }

type Link = { href: string; type: string }

/** A link to an API resource. */
const hal = (href: string): Link => ({ href, type: 'application/hal+json' })

/** A link to a page. */
export const page = (href: string): Link => ({ href, type: 'text/html' })

const documentation = (name: string) => page(`https://docs.mollie.com/reference/${name}`)

export const dashboard = (path: string) => page(`https://my.mollie.com/dashboard/${path}`)

/** The common fields of resources. `addresses`: URLs of linked resources; `pages`: links to pages. */
export function resource<Kind extends string, Addresses extends object, Pages extends object>(
  kind: Kind,
  { id, created }: { id: string; created: number },
  self: string,
  addresses: Addresses,
  pages?: Pages,
) {
  const linked = Object.fromEntries(Object.entries({ self, ...addresses }).map(([name, href]) => [name, hal(href)]))
  return {
    resource: kind,
    id,
    createdAt: dateTime(created),
    _links: {
      ...(linked as { [Name in keyof (Addresses & { self: string })]: Link }),
      ...(pages as Pages),
      documentation: documentation(`get-${kind}`),
    },
  }
}

/** One page of a list. `name`: the field with the rows. */
export function toList(
  name: string,
  address: string,
  rows: { id: string }[],
  { from, limit }: z.output<typeof PageQuery>,
) {
  const start = from === undefined ? 0 : rows.findIndex(({ id }) => id === from)
  if (start < 0) throw mollieError(400, `Invalid cursor value: ${from}`, 'from')
  const shown = rows.slice(start, start + limit)
  const link = (row: { id: string } | undefined) => (row ? hal(`${address}?from=${row.id}&limit=${limit}`) : null)
  return {
    count: shown.length,
    _embedded: { [name]: shown },
    _links: {
      self: hal(`${address}?limit=${limit}`),
      previous: start === 0 ? null : link(rows[Math.max(0, start - limit)]),
      next: link(rows[start + limit]),
      documentation: documentation('pagination'),
    },
  }
}
