import type { Unrecognized } from 'mollie-api-typescript/types/unrecognized.js'

type Scalar = string | number | boolean | null | undefined

/**
 * A type of the official SDK as it is on the wire, where `links` is `_links` and an open enum is any text. Every object
 * that the emulator sends is checked against the SDK's own type through this one, so it cannot lack a field that
 * Mollie requires.
 */
export type Wire<T> =
  T extends Unrecognized<string>
    ? string
    : T extends Scalar
      ? T
      : T extends (infer Element)[]
        ? Wire<Element>[]
        : { [Key in keyof T as Key extends 'links' | 'embedded' ? `_${Key}` : Key]: Wire<T[Key]> }

/** A link to something of the API. */
export const hal = (href: string) => ({ href, type: 'application/hal+json' })

/** A link to a page. */
export const page = (href: string) => ({ href, type: 'text/html' })

export const documentation = (name: string) => page(`https://docs.mollie.com/reference/${name}`)

export const dashboard = (path: string) => page(`https://my.mollie.com/dashboard/${path}`)
