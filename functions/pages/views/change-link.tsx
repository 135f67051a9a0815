import { CHANGE_PATH } from '../contract.ts'
import type { Site } from '../site.ts'
import type { Price } from '../structure.ts'

/** Links to the preview of a change of plan to this price. */
export const ChangeLink = ({ site, price }: { site: Site; price: Price }) => (
  <p>
    <a class="button" href={site.href(CHANGE_PATH, { price: price.id })}>
      {site.texts.changeTo(site.text(price.label))}
    </a>
  </p>
)
