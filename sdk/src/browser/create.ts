import { type CallOptions, type Client, openClient, toOrigin, unwrap } from '../client.ts'
import { send } from '../retry.ts'
import { nullIfSignedOut, toUser, type User } from '../user.ts'
import { createMutex } from './mutex.ts'
import { connectTabs } from './other-tabs.ts'
import { consumeReturn } from './page.ts'
import { BrowserPaywall } from './paywall.ts'
import { PurchaseWait } from './purchase-wait.ts'
import { givenSession, KeptSession, type Session, sendAs } from './session.ts'
import { browserStore, keptIn, type Store } from './store.ts'
import { type UserChange, WatchedUser } from './watched-user.ts'

export interface BrowserOptions extends CallOptions {
  /** The paywall's id. Required unless the origin is the paywall's own domain. */
  paywall?: string
  /** Where to store the session. Default: `localStorage`, or memory if that is not available. */
  storage?: Store
  /**
   * For pages whose server manages the session: returns an access token, or null if nobody is signed in. Called before each API call.
   * Sign-in and sign-out are then up to your server.
   */
  session?: () => Promise<string | null>
}

/**
 * Creates a paywall for a user's browser and restores its session. After the return from a checkout it waits for the purchase and reports
 * it to `onChange`.
 *
 * @param origin The origin of the paywall's own domain, or the service's.
 * @throws PaywallError paywall_not_found if the origin is not a paywall's domain and `paywall` is not given; invalid_url; network_error and
 * the like if the user cannot be read. The session is kept for the next attempt
 */
export async function createPaywall(
  origin: string,
  { paywall, storage = browserStore(), session: give, ...transport }: BrowserOptions = {},
): Promise<BrowserPaywall> {
  const target = { ...transport, baseUrl: toOrigin(origin) }
  const id = paywall ?? (await findPaywall(target))
  const guest = openClient({ ...target, paywall: id }, send)

  const name = `paywall-billing-sdk/3 ${target.baseUrl} ${id}`
  const kept = new KeptSession({
    kept: keptIn(storage, `${name} session`),
    oneAtATime: createMutex(name),
    guest,
    paywall: id,
    ended: () => watched.set(null, { reason: 'session_ended' }),
  })
  const session = give ? givenSession(give) : kept
  const client = openClient({ ...target, paywall: id }, sendAs(session))
  const watched = new WatchedUser(
    (options) => readUser(session, client(options), id),
    connectTabs<UserChange>(name, (change) => watched.handleMessage(change)),
  )
  const wait = new PurchaseWait(watched, keptIn(storage, `${name} purchases`))
  const sentCode = keptIn<{ email: string; challenge: string }>(storage, `${name} code`)

  await watched.refresh({ reason: 'initial' })
  if (consumeReturn(id)) void wait.run()
  const token = () => session.token()
  return new BrowserPaywall(id, { client, guest, token, session: give ? null : kept, watched, wait, sentCode })
}

/** Finds the id of the paywall by its own domain. */
async function findPaywall(target: CallOptions & { baseUrl: string }): Promise<string> {
  const found = await unwrap(openClient({ ...target, paywall: undefined }, send)().GET('/api/v1/paywall'))
  return found.id
}

/** Reads the signed-in user; null if there is none or the session has ended. */
async function readUser(session: Session, client: ReturnType<Client>, id: string): Promise<User | null> {
  if ((await session.token()) === null) return null
  return unwrap(client.GET('/api/v1/paywall/{id}/user', { params: { path: { id } } })).then(toUser, nullIfSignedOut)
}
