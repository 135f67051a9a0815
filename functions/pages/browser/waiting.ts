// On the page that thanks, while the purchase is not there yet: waits for it, and shows the page anew when it is there.
import { createPaywall, PaywallError } from 'paywall-billing-sdk/browser'

const { home = '/', paywall: id = '' } = document.body.dataset

try {
  const paywall = await createPaywall(location.origin, { paywall: id, session })
  // By itself the SDK waits only on the way back from a checkout: not when the page is loaded again.
  const waiting = paywall.isWaiting ? null : paywall.waitForPurchase()
  paywall.onChange((user) => {
    if (user?.paid) location.reload()
    else if (!paywall.isWaiting) showThatItTakesLong()
  })
  await waiting
} catch (error) {
  console.error(error)
  showThatItTakesLong()
}

/** The access token, out of the cookies that no script can read. A refusal is no end of waiting: it may pass. */
async function session(): Promise<string | null> {
  const response = await fetch(home === '/' ? '/session' : `${home}/session`, { method: 'POST' })
  if (!response.ok)
    throw new PaywallError({ status: response.status, code: 'no_session', message: 'No token is given.' })
  const { access_token: token }: { access_token: string | null } = await response.json()
  return token
}

/** It may take a day until money has arrived. */
function showThatItTakesLong(): void {
  const [now, later] = ['pending', 'long'].map((name) => document.querySelector<HTMLElement>(`[data-wait="${name}"]`))
  if (now) now.hidden = true
  if (later) later.hidden = false
}
