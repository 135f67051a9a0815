import { type CallOptions, type Client, unwrap } from '../client.ts'
import { hasCode, noResponseError } from '../error.ts'
import { type SendOptions, send } from '../retry.ts'
import type { Tokens } from '../schemas.ts'
import type { Mutex } from './mutex.ts'
import type { Kept } from './store.ts'

/** Who is signed in. */
export interface Session {
  /** An access token; null if nobody is signed in. */
  token(): Promise<string | null>
  /** Another access token than this one, which was refused; null if there is none: nobody is signed in any more. */
  renew(refused: string): Promise<string | null>
}

/** A session that somebody else keeps, who gives its access tokens. */
export function givenSession(give: () => Promise<string | null>): Session {
  const token = () =>
    give().catch((cause: unknown) => {
      throw noResponseError('not_sent', cause)
    })
  const renew = async (refused: string) => {
    const next = await token()
    return next === refused ? null : next
  }
  return { token, renew }
}

/** Sends requests as whoever is signed in; as a guest, if nobody is. If the token is refused, once more with another one. */
export const sendAs = (session: Session) => async (request: Request, options: SendOptions) => {
  const token = await session.token()
  if (token === null) return send(request, options)
  const response = await send(withToken(request.clone(), token), options)
  if (response.status !== 401) return response
  const renewed = await session.renew(token)
  return renewed === null ? response : send(withToken(request, renewed), options)
}

function withToken(request: Request, token: string): Request {
  request.headers.set('Authorization', `Bearer ${token}`)
  return request
}

/** A session as it is kept. */
export interface KeptTokens {
  accessToken: string
  refreshToken: string
  /** By this browser's clock, in milliseconds: a little before the access token expires. */
  staleAt: number
}

/** So long before it expires an access token is not used any more: a call with it may take that long, in milliseconds. */
const MARGIN_MS = 60_000

const toKept = (tokens: Tokens): KeptTokens => ({
  accessToken: tokens.access_token,
  refreshToken: tokens.refresh_token,
  staleAt: Date.now() + tokens.expires_in * 1000 - MARGIN_MS,
})

interface SessionDependencies {
  kept: Kept<KeptTokens>
  /** Among all tabs that keep the session in the same place. */
  oneAtATime: Mutex
  /** Calls as a guest. */
  guest: Client
  paywall: string
  /** Is called when the service says that the session has ended. */
  ended: () => void
}

/** A session that is kept here, for all tabs. Its tokens are refreshed when one is needed, by one tab for all. */
export class KeptSession implements Session {
  readonly #parts: SessionDependencies

  constructor(parts: SessionDependencies) {
    this.#parts = parts
  }

  async token(): Promise<string | null> {
    const kept = this.#parts.kept.read()
    return kept && Date.now() >= kept.staleAt ? this.#next(kept) : (kept?.accessToken ?? null)
  }

  async renew(refused: string): Promise<string | null> {
    const kept = this.#parts.kept.read()
    return kept?.accessToken === refused ? this.#next(kept) : (kept?.accessToken ?? null)
  }

  /** Keeps the session of whoever has just signed in. */
  keep(tokens: Tokens): void {
    this.#parts.kept.write(toKept(tokens))
  }

  /** Signs in an anonymous user if nobody is signed in. */
  async begin(options: CallOptions): Promise<void> {
    if ((await this.token()) !== null) return
    await this.#parts.oneAtATime(async () => {
      if (!this.#parts.kept.read()) this.keep(await this.#give({ grant_type: 'anonymous' }, options))
    })
  }

  /** Forgets the session, and has the service end it. */
  async end(options: CallOptions): Promise<void> {
    const { kept, guest, paywall } = this.#parts
    const tokens = kept.read()
    kept.write(null)
    if (!tokens) return
    const body = { refresh_token: tokens.refreshToken }
    const params = { path: { id: paywall } }
    await unwrap(guest({ ...options, isIdempotent: true }).POST('/api/v1/paywall/{id}/sign-in/end', { params, body }))
  }

  /** The access token after those: what another tab got for them meanwhile, or else what they are refreshed to. */
  #next(former: KeptTokens): Promise<string | null> {
    return this.#parts.oneAtATime(async () => {
      const kept = this.#parts.kept.read()
      return kept?.refreshToken === former.refreshToken ? this.#refresh(kept) : (kept?.accessToken ?? null)
    })
  }

  /** Where there are no Web Locks, another tab may have refreshed meanwhile; or somebody has signed in or out. Then that counts. */
  async #refresh({ refreshToken }: KeptTokens): Promise<string | null> {
    const { kept, ended } = this.#parts
    const tokens = await this.#give({ grant_type: 'refresh_token', refresh_token: refreshToken }).catch(nullIfEnded)
    const now = kept.read()
    if (now?.refreshToken !== refreshToken) return now?.accessToken ?? null
    kept.write(tokens && toKept(tokens))
    if (!tokens) ended()
    return tokens?.access_token ?? null
  }

  /** Repeats are harmless: a refresh token gives the same next one for 30 seconds, and an anonymous user that nobody uses is deleted. */
  #give(
    body: { grant_type: 'anonymous' } | { grant_type: 'refresh_token'; refresh_token: string },
    options?: CallOptions,
  ): Promise<Tokens> {
    const { guest, paywall } = this.#parts
    const params = { path: { id: paywall } }
    return unwrap(
      guest({ ...options, isIdempotent: true }).POST('/api/v1/paywall/{id}/sign-in/token', { params, body }),
    )
  }
}

function nullIfEnded(error: unknown): null {
  if (hasCode(error, 'invalid_grant')) return null
  throw error
}
