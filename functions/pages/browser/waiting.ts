// On the page that thanks, while the purchase is not there yet: waits for it, and shows the page anew when it is there.
import { createPaywall } from 'paywall-billing-sdk/browser'

const { home = '/', paywall: id = '' } = document.body.dataset

/** The access token, out of the cookies that no script can read. */
async function session(): Promise<string | null> {
  const response = await fetch(home === '/' ? '/session' : `${home}/session`, { method: 'POST' })
  const { access_token: token }: { access_token: string | null } = await response.json()
  return token
}

const paywall = await createPaywall(location.origin, { paywall: id, session })
paywall.onChange((user) => {
  if (user?.paid) location.reload()
  else if (!paywall.isWaiting) showThatItTakesLong()
})

/** It may take a day until money has arrived. */
function showThatItTakesLong(): void {
  const [now, later] = ['pending', 'long'].map((name) => document.querySelector<HTMLElement>(`[data-wait="${name}"]`))
  if (now) now.hidden = true
  if (later) later.hidden = false
}
