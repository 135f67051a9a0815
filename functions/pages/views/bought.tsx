import type { Site } from '../site.ts'
import type { Purchase } from '../structure.ts'

type Reported = Pick<Purchase, 'id' | 'price_id' | 'price_slug' | 'quantity' | 'status'>

/** In a dialog: closes it. A script reports the purchase to the owner's page. */
export function Bought({ site, purchase }: { site: Site; purchase: Reported | undefined }) {
  const { id, price_id, price_slug, quantity, status } = purchase ?? {}
  return (
    <p data-bought={purchase && JSON.stringify({ id, price_id, price_slug, quantity, status })}>
      <button class="primary" type="button" data-close>
        {site.embedder && site.texts.backTo(site.embedder.host)}
      </button>
    </p>
  )
}
