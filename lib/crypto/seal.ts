// Secrets that the database holds sealed: AES-256-GCM, under a key that is a secret of the Workers.
// `keys` is the text of that secret: 32 bytes in base64url, or two of them with a comma between. The first one seals, both
// open. While a key is rotated, the first is the new one and the second the old one.
import { base64url } from 'jose'
import { sha256 } from './crypto.ts'

const encoder = new TextEncoder()

/** Bytes of a random nonce, which the ciphertext follows. */
const NONCE = 12

/** Bytes of a key's SHA-256 by which a sealed text names it. */
const KEY_ID = 8

/** What no live key opens: it was sealed with a key that has left, belongs to another row, or is damaged. */
export class UnopenedSecret extends Error {
  override name = 'UnopenedSecret'
}

/**
 * Encrypts a secret for storage: the id of the key in hex, a dot, and base64url of the nonce and the ciphertext.
 * `context` says what the secret belongs to and is authenticated, so a ciphertext moved to another row does not open.
 */
export async function seal(secret: string, keys: string, context: string): Promise<string> {
  const [{ id, key }] = await readKeys(keys)
  const iv = crypto.getRandomValues(new Uint8Array(NONCE))
  const sealed = await crypto.subtle.encrypt(gcm(iv, context), key, encoder.encode(secret))
  const bytes = new Uint8Array(NONCE + sealed.byteLength)
  bytes.set(iv)
  bytes.set(new Uint8Array(sealed), NONCE)
  return `${id}.${base64url.encode(bytes)}`
}

/**
 * Decrypts what `seal` made with one of the keys and the same context.
 *
 * @throws UnopenedSecret
 */
export async function unseal(sealed: string, keys: string, context: string): Promise<string> {
  const [, id, text = ''] = /^([0-9a-f]{16})\.(.*)$/.exec(sealed) ?? []
  if (id === undefined) throw new UnopenedSecret('it names no key')
  const named = (await readKeys(keys)).find((each) => each.id === id)
  if (named === undefined) throw new UnopenedSecret(`it is sealed with the key ${id}, which is not there`)
  try {
    const bytes = base64url.decode(text)
    const [iv, ciphertext] = [bytes.slice(0, NONCE), bytes.slice(NONCE)]
    return new TextDecoder().decode(await crypto.subtle.decrypt(gcm(iv, context), named.key, ciphertext))
  } catch (cause) {
    throw new UnopenedSecret('its key does not open it', { cause })
  }
}

/** Whether the text is sealed with the first of the keys. */
export async function isSealedWithFirst(sealed: string, keys: string): Promise<boolean> {
  const [{ id }] = await readKeys(keys)
  return sealed.startsWith(`${id}.`)
}

interface Key {
  id: string
  key: Awaited<ReturnType<typeof importAesKey>>
}

/** The keys that this isolate has read, by their text. */
const known = new Map<string, Promise<[Key, ...Key[]]>>()

function readKeys(keys: string): Promise<[Key, ...Key[]]> {
  const reading = known.get(keys) ?? importKeys(keys)
  known.set(keys, reading)
  return reading
}

async function importKeys(keys: string): Promise<[Key, ...Key[]]> {
  const [first = '', ...others] = keys.split(',')
  return [await importKey(first), ...(await Promise.all(others.map(importKey)))]
}

async function importKey(text: string): Promise<Key> {
  const bytes = base64url.decode(text.trim()).slice()
  return { id: (await sha256(bytes)).slice(0, 2 * KEY_ID), key: await importAesKey(bytes) }
}

const importAesKey = (bytes: Uint8Array<ArrayBuffer>) =>
  crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])

const gcm = (iv: Uint8Array<ArrayBuffer>, context: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: encoder.encode(context),
})
