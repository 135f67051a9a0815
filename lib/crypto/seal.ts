// Encryption of the secrets in the database: AES-256-GCM, with a key that is a secret of the Workers. `keys` is the text of that secret: 32
// bytes in base64url, or two such keys separated by a comma. The first encrypts, both decrypt. During a rotation the first is the new key
// and the second the old one.
import { base64url } from 'jose'
import { sha256 } from './crypto.ts'

const encoder = new TextEncoder()

/** Bytes of the random nonce, which precedes the ciphertext. */
const NONCE = 12

/** Bytes of the key's SHA-256 that serve as its id in the ciphertext. */
const KEY_ID = 8

/** No configured key decrypts it: the key was removed, the context differs (another row), or the ciphertext is damaged. */
export class UnopenedSecret extends Error {
  override name = 'UnopenedSecret'
}

/**
 * Encrypts a secret for storage: the id of the key in hex, a dot, and base64url of the nonce and the ciphertext. `context` names the row
 * that it belongs to and is authenticated (AES-GCM additional data), so a ciphertext copied to another row cannot be decrypted.
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
 * Decrypts the result of `seal` with one of the keys and the same context.
 *
 * @throws UnopenedSecret
 */
export async function unseal(sealed: string, keys: string, context: string): Promise<string> {
  const [, id, text = ''] = /^([0-9a-f]{16})\.(.*)$/.exec(sealed) ?? []
  if (id === undefined) throw new UnopenedSecret('the ciphertext has no key id')
  const named = (await readKeys(keys)).find((each) => each.id === id)
  if (named === undefined)
    throw new UnopenedSecret(`the ciphertext is encrypted with the key ${id}, which is not configured`)
  try {
    const bytes = base64url.decode(text)
    const iv = bytes.slice(0, NONCE)
    const ciphertext = bytes.slice(NONCE)
    return new TextDecoder().decode(await crypto.subtle.decrypt(gcm(iv, context), named.key, ciphertext))
  } catch (cause) {
    throw new UnopenedSecret('decryption failed', { cause })
  }
}

/** Whether the text is encrypted with the first of the keys. */
export async function isSealedWithFirst(sealed: string, keys: string): Promise<boolean> {
  const [{ id }] = await readKeys(keys)
  return sealed.startsWith(`${id}.`)
}

interface Key {
  id: string
  key: Awaited<ReturnType<typeof importAesKey>>
}

/** Imported keys of this isolate, by their text. */
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
