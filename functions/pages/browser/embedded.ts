// In a dialog on an owner's page: reports to that page what is shown here.
import type { DialogMessage } from 'paywall-billing-sdk/dialog'

const { embedder = '', close = '', over } = document.body.dataset

const report = (message: DialogMessage): void => parent.postMessage(message, embedder)

/** Reports to the owner's page what this page shows. Pages outside of a dialog have no `data-embedder`. */
export function reportToEmbedder(): void {
  if (!embedder) return
  report({ type: 'ready', title: document.title, close })
  if (over !== undefined) report({ type: 'session-over' })
  const leaving = document.querySelector<HTMLAnchorElement>('[data-leave]')
  if (leaving) report({ type: 'leave', url: leaving.href })
  const bought = document.querySelector<HTMLElement>('[data-bought]')?.dataset.bought
  if (bought) report({ type: 'bought', purchase: JSON.parse(bought) })
  document.querySelector('button[data-close]')?.addEventListener('click', () => report({ type: 'close' }))
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') report({ type: 'close' })
  })
}
