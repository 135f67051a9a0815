// In a dialog on an owner's page: tells that page what happens here.
import type { DialogMessage } from 'paywall-billing-sdk/dialog'

const { embedder = '', close = '' } = document.body.dataset

const tell = (message: DialogMessage): void => parent.postMessage(message, embedder)

/** Reports to the owner's page what this page shows. Pages outside of a dialog have no `data-embedder`. */
export function reportToEmbedder(): void {
  if (!embedder) return
  tell({ type: 'ready', title: document.title, close })
  const leaving = document.querySelector<HTMLAnchorElement>('[data-leave]')
  if (leaving) tell({ type: 'leave', url: leaving.href })
  const bought = document.querySelector<HTMLElement>('[data-bought]')?.dataset.bought
  if (bought) tell({ type: 'bought', purchase: JSON.parse(bought) })
  document.querySelector('button[data-close]')?.addEventListener('click', () => tell({ type: 'close' }))
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') tell({ type: 'close' })
  })
}
