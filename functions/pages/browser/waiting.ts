// On the thanks page, while the purchase has not arrived: waits for it, then reloads the page.
import { type BrowserPaywall, createPaywall, PaywallError } from 'paywall-billing-sdk/browser'
import { hasArrived } from '../arrived.ts'

const { home = '/', paywall: id = '' } = document.body.dataset
const before = new URLSearchParams(location.search).get('after')

const POLLS = 15
const POLL_MS = 2_000

try {
  const paywall = await createPaywall(location.origin, { paywall: id, session })
  const waiting = before === null ? waitForAccess(paywall) : pollUser(paywall)
  paywall.onChange((user) => {
    if (user && hasArrived(user, before)) location.reload()
    else if (!paywall.isWaiting && before === null) showDelayed()
  })
  await waiting
} catch (error) {
  console.error(error)
  showDelayed()
}

/** The SDK starts waiting by itself only on the return from a checkout, not on a reload. */
async function waitForAccess(paywall: BrowserPaywall): Promise<void> {
  if (!paywall.isWaiting) await paywall.waitForPurchase()
}

/** The SDK waits for access, which a subscriber has before another purchase arrives. `onChange` reports what is found. */
async function pollUser(paywall: BrowserPaywall): Promise<void> {
  for (let attempt = 0; attempt < POLLS; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    // A failed call does not end the wait: the next one may succeed.
    await paywall.refresh().catch((error) => console.error(error))
  }
  showDelayed()
}

/** Gets the access token from the server, because scripts cannot read the cookies. An error does not end the wait: it may be temporary. */
async function session(): Promise<string | null> {
  const response = await fetch(home === '/' ? '/session' : `${home}/session`, { method: 'POST' })
  if (!response.ok)
    throw new PaywallError({
      status: response.status,
      code: 'no_session',
      message: 'The access token could not be read.',
    })
  const { access_token: token }: { access_token: string | null } = await response.json()
  return token
}

/** Some payment methods take a day. */
function showDelayed(): void {
  const [now, later] = ['pending', 'long'].map((name) => document.querySelector<HTMLElement>(`[data-wait="${name}"]`))
  if (now) now.hidden = true
  if (later) later.hidden = false
}
