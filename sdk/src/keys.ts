/**
 * Generates an Idempotency-Key, a version 4 UUID. It is not secret, so `Math.random` is a sufficient fallback: Node 18 has no global
 * `crypto`, and pages without TLS have no `randomUUID`.
 */
export function newKey(): string {
  const made = () => 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, digit)
  return globalThis.crypto?.randomUUID?.() ?? made()
}

const digit = () => Math.floor(Math.random() * 16).toString(16)
