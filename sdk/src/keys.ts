/** A new Idempotency-Key. */
export const newKey = (): string => crypto.randomUUID()

/**
 * The Idempotency-Key that any text stands for, such as the id of a job: the API takes UUIDs. The same text always gives the same
 * one (a UUID of version 8, made of the text's SHA-256); one that is a UUID stays as it is.
 */
export async function keyOf(text: string): Promise<string> {
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return text
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
