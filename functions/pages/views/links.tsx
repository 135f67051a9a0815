import { ACCOUNT_PATH } from '../contract.ts'
import type { Site } from '../site.ts'

type Name = keyof NonNullable<Site['structure']['settings']['links']>

/** The owner's pages that the paywall file names, of the given kinds. Nothing if it names none. */
export function OwnerLinks({ site, names }: { site: Site; names: readonly Name[] }) {
  const { links = {} } = site.structure.settings
  const shown = names.flatMap((name) => (links[name] ? [{ name, href: links[name] }] : []))
  if (shown.length === 0) return null
  return (
    <p class="links">
      {shown.map(({ name, href }) => (
        <a href={href} target={site.embedder ? '_blank' : undefined}>
          {site.texts[name]}
        </a>
      ))}
    </p>
  )
}

/** Where a page leads once it has done what the visitor wanted. */
export const AccountButton = ({ site }: { site: Site }) => (
  <p>
    <a class="button primary" href={site.href(ACCOUNT_PATH)}>
      {site.texts.account}
    </a>
  </p>
)
