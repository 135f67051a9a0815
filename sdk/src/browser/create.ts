import { type CallOptions, type Client, openClient, toOrigin, unwrap } from '../client.ts'
import { PaywallError } from '../error.ts'
import { send } from '../retry.ts'
import type { UserState } from '../schemas.ts'
import { nullIfUnknown, toUser, type User } from '../user.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { otherTabs } from './other-tabs.ts'
import { hasComeBack } from './page.ts'
import { BrowserPaywall } from './paywall.ts'
import { PurchaseWait } from './purchase-wait.ts'
import { givenSession, KeptSession, type Session, sendAs } from './session.ts'
import { browserStore, keptIn, type Store } from './store.ts'
import { WatchedUser } from './watched-user.ts'

export interface BrowserOptions extends CallOptions {
  /** The paywall's id, where the origin is not that of its own domain. */
  paywall?: string
  /** Where the session is kept; `localStorage` if it is left out, or the page's memory where that is denied. */
  storage?: Store
  /**
   * Gives an access token, or null if nobody is signed in, for pages whose server keeps the session. It is asked before each call.
   * Signing in and out is the server's then.
   */
  session?: () => Promise<string | null>
}

/**
 * A paywall in its user's browser, with whoever is signed in there. After the return from a checkout it waits for the purchase, and
 * tells `onChange` of it.
 *
 * @param origin The origin of the paywall's own domain, or the service's.
 * @throws PaywallError paywall_not_found if the origin is no paywall's, and `paywall` is not given; invalid_url; network_error and the
 * like, if who is signed in cannot be asked. The session is kept then, for the next try
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
    oneAtATime: oneAtATime(name),
    guest,
    paywall: id,
    ended: () => watched.set(null),
  })
  const session = give ? givenSession(give) : kept
  const client = openClient({ ...target, paywall: id }, sendAs(session))
  const watched = new WatchedUser(
    (options) => readUser(session, client(options), id),
    otherTabs<UserState | null>(name, (news) => watched.hear(news)),
  )
  const wait = new PurchaseWait(watched, keptIn(storage, `${name} purchases`))
  const sentCode = keptIn<{ email: string; challenge: string }>(storage, `${name} code`)

  await watched.refresh()
  if (hasComeBack(id)) void wait.run()
  return new BrowserPaywall(id, { client, guest, session: give ? null : kept, watched, wait, sentCode })
}

/** The id of the paywall whose own domain the origin is. */
async function findPaywall(target: CallOptions & { baseUrl: string }): Promise<string> {
  const found = await unwrap(openClient({ ...target, paywall: undefined }, send)().GET('/api/v1/paywall'))
  return found.id
}

/** Whoever is signed in; null if nobody is, or not any more. */
async function readUser(session: Session, client: ReturnType<Client>, id: string): Promise<User | null> {
  if ((await session.token()) === null) return null
  return unwrap(client.GET('/api/v1/paywall/{id}/user', { params: { path: { id } } })).then(toUser, nullIfSignedOut)
}

const nullIfSignedOut = (error: unknown) =>
  error instanceof PaywallError && error.status === 401 ? null : nullIfUnknown(error)
