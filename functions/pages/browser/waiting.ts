// On the thanks page, while the purchase has not arrived: waits for it, then reloads the page.
import { createPaywall, PaywallError, type User } from 'paywall-billing-sdk/browser'
import { hasArrived } from '../arrived.ts'

const { base = '/', paywall: id = '' } = document.body.dataset
const before = new URLSearchParams(location.search).get('after')

try {
  const paywall = await createPaywall(location.origin, { paywall: id, session })
  // Access is not enough: a subscriber has it before another purchase arrives.
  const until = (user: User) => hasArrived(user, before)
  const waiting = paywall.waitForPurchase({ until })
  paywall.onChange((user) => {
    if (user && until(user)) location.reload()
    else if (!paywall.isWaiting) showDelayed()
  })
  await waiting
} catch (error) {
  console.error(error)
  showDelayed()
}

/** Gets the access token from the server, because scripts cannot read the cookies. An error does not end the wait: it may be temporary. */
async function session(): Promise<string | null> {
  const response = await fetch(base === '/' ? '/session' : `${base}/session`, { method: 'POST' })
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
