import { createHmac, createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto'
import { CompactEncrypt, decodeJwt } from 'jose'
import * as z from 'zod'
import type { TestWorld } from './world.ts'

/** A user with an access token. */
interface TokenOwner {
  id: string
  email: string
  token: string
}

/** The id of the session in which a token was issued. */
export const readSessionId = (token: string) => z.uuid().parse(decodeJwt(token).sid)

type Fields = Record<string, unknown>

const PrivateKey = z.looseObject({ kid: z.string() })
const PublicKeys = z.object({ keys: z.tuple([z.looseObject({ kid: z.string(), x: z.string() })]) })

/** Makes access tokens: valid ones, and ones that only look valid. */
export interface Forge {
  kid: string
  /** A key pair that is not the service's. */
  stranger: { privateKey: KeyObject; publicJwk: JsonWebKey }
  /** A token signed with our key. Fields of the header and the payload are replaced; `undefined` removes one. */
  token(header?: Fields, payload?: Fields, key?: KeyObject): string
  /** The same token signed with HMAC, with the public key as the secret. */
  confused(secret: 'jwk' | 'x' | 'empty'): string
  /** An unsigned token. */
  unsigned(alg: string): string
  /** A valid token inside an encrypted one. */
  encrypted(): Promise<string>
}

export function forgeFor(world: TestWorld, user: TokenOwner, audience: string): Forge {
  const { kid, ...jwk } = PrivateKey.parse(JSON.parse(world.secrets.ACCESS_TOKEN_PRIVATE_KEY))
  const [publicJwk] = PublicKeys.parse(JSON.parse(world.secrets.ACCESS_TOKEN_PUBLIC_KEYS)).keys
  const ours = createPrivateKey({ key: jwk, format: 'jwk' })
  const pair = generateKeyPairSync('ed25519')
  const now = Math.floor(Date.now() / 1000)
  const good = {
    iss: 'paywall-billing',
    sub: user.id,
    sid: readSessionId(user.token),
    aud: audience,
    iat: now,
    exp: now + 3600,
  }
  const content = (header: Fields, payload: Fields) =>
    [header, { ...good, email: user.email, anonymous: false, ...payload }].map(encode).join('.')
  const signed = (text: string, signature: Buffer) => `${text}.${signature.toString('base64url')}`

  function token(header: Fields = {}, payload: Fields = {}, key = ours): string {
    const text = content({ alg: 'EdDSA', typ: 'at+jwt', kid, ...header }, payload)
    return signed(text, sign(null, Buffer.from(text), key))
  }

  return {
    kid,
    stranger: { privateKey: pair.privateKey, publicJwk: pair.publicKey.export({ format: 'jwk' }) },
    token,
    confused(secret) {
      const text = content({ alg: 'HS256', typ: 'at+jwt', kid }, {})
      const bytes = { jwk: JSON.stringify(publicJwk), x: Buffer.from(publicJwk.x, 'base64url'), empty: '' }[secret]
      return signed(text, createHmac('sha256', bytes).update(text).digest())
    },
    unsigned: (alg) => `${content({ alg, typ: 'at+jwt' }, {})}.`,
    encrypted: () =>
      new CompactEncrypt(Buffer.from(token()))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', cty: 'JWT' })
        .encrypt(new Uint8Array(32)),
  }
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
