/**
 * The document with every schema of an object closed: fields that it does not name are wrong. The published one is
 * open, since clients must bear new fields; but what we answer is to be in it.
 */
export function closed(document: unknown): object {
  return Object(close(document, false))
}

/** `part` of the document; a schema that others are built on (`allOf`) stays open, for they close the whole. */
function close(part: unknown, isBase: boolean): unknown {
  if (Array.isArray(part)) return part.map((each) => close(each, isBase))
  if (typeof part !== 'object' || part === null) return part
  const fields = Object.entries(part).map(([name, value]) => [name, close(value, isOpen(name))])
  const copy = Object.fromEntries(fields)
  const isSchema = 'properties' in part && 'type' in part && !('additionalProperties' in part)
  return isSchema && !isBase ? { ...copy, unevaluatedProperties: false } : copy
}

const isOpen = (name: string) => name === 'allOf' || name === 'Error'
