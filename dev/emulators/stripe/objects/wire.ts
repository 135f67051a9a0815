import type Stripe from 'stripe'

type Scalar = string | number | bigint | boolean | symbol | null | undefined

/**
 * A type of the official SDK as it is on the wire, where a decimal is a string. Every object that the emulator sends is
 * checked against the SDK's own type through this one, so it cannot lack a field that this API version requires.
 */
export type Wire<T> = T extends Scalar
  ? T
  : T extends Stripe.Decimal
    ? string
    : T extends (infer Element)[]
      ? Wire<Element>[]
      : { [Key in keyof T]: Wire<T[Key]> }

/** A list on one page: no list of the emulator is long enough for more. */
export function listOf<Element>(url: string, data: Element[]) {
  return { object: 'list' as const, url, has_more: false, data }
}
