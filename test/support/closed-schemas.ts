/**
 * The document with every object schema closed, so that fields which it does not name are errors. The published document is
 * open, because clients must accept new fields; but our own responses must match it exactly.
 */
export function closed(document: unknown): object {
  return Object(close(document, false))
}

/** Closes a part of the document. A schema that others extend (`allOf`) stays open, because they close the whole. */
function close(part: unknown, isBase: boolean): unknown {
  if (Array.isArray(part)) return part.map((each) => close(each, isBase))
  if (typeof part !== 'object' || part === null) return part
  const fields = Object.entries(part).map(([name, value]) => [name, close(value, isOpen(name))])
  const copy = Object.fromEntries(fields)
  const isSchema = 'properties' in part && 'type' in part && !('additionalProperties' in part)
  return isSchema && !isBase ? { ...copy, unevaluatedProperties: false } : copy
}

const isOpen = (name: string) => name === 'allOf' || name === 'Error'
