// On an owner's page, <script src="https://pay.example.com/dialog.js" async>: opens the paywall in a dialog from each link to it that has
// the attribute `data-paywall`. Without the script, the link leads to the paywall.
import { createDialog } from 'paywall-billing-sdk/dialog'

const site = new URL('.', (document.currentScript as HTMLScriptElement).src).href

const dialog = createDialog(site, {
  onBought: (purchase) => document.dispatchEvent(new CustomEvent('paywall:bought', { detail: purchase })),
  onClose: () => document.dispatchEvent(new CustomEvent('paywall:close')),
})

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element && event.target.closest<HTMLAnchorElement>('a[data-paywall]')
  const opensElsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey
  if (!link || opensElsewhere || !`${link.href}/`.startsWith(site)) return
  event.preventDefault()
  void dialog.open()
})
