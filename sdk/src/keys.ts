/**
 * A new Idempotency-Key: a UUID of version 4. It is no secret, so `Math.random` will do where the runtime has none: `crypto` is missing in
 * Node 18, its `randomUUID` on pages that came without TLS.
 */
export function newKey(): string {
  const made = () => 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, digit)
  return globalThis.crypto?.randomUUID?.() ?? made()
}

const digit = () => Math.floor(Math.random() * 16).toString(16)
