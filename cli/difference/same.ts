import canonicalize from 'canonicalize'

/** Whether two values are the same JSON, whatever the order of their members. */
export function same(one: unknown, other: unknown): boolean {
  return canonicalize(one) === canonicalize(other)
}
