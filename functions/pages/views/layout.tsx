import { html } from 'hono/html'
import type { Child } from 'hono/jsx'
import { SCRIPT_PATH, STYLE_PATH } from '../../../generated/page-assets.ts'
import { ACCOUNT_PATH, PAYWALL_PATH, RESTORE_PATH, TICKET_PATH } from '../contract.ts'
import { parseTag } from '../locale.ts'
import type { Site } from '../site.ts'
import { brandStyle } from './colour.ts'
import { OwnerLinks } from './links.tsx'
import { Notice } from './notice.tsx'
import { choiceStyle } from './prices.tsx'

export interface Page {
  title: string
  /** Whether the page is laid out for prices, centred, instead of for reading. */
  isWide?: boolean
  /** Whether it shows local prices: they depend on DB-IP's data, which requires attribution. */
  showsLocalPrices?: boolean
  /** What search engines and previews of a shared link show. Pages without it are not indexed. */
  sharing?: Sharing
  head?: Child
  children: Child
}

interface Sharing {
  description: string | undefined
  /** The `src` of an image in the paywall's file, and whether it is the logo, which is too small for a large preview. */
  picture: { src: string; isLogo: boolean } | undefined
}

/** The frame of a paywall's pages: header, content, and a footer with links to the other pages. */
export function sitePage(site: Site, { title, isWide, showsLocalPrices, sharing, head, children }: Page) {
  const { name } = site.structure.settings
  return html`<!doctype html>${(
    <html lang={site.tag}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title === name ? name : `${title} · ${name}`}</title>
        <link rel="stylesheet" href={STYLE_PATH} />
        <style>{siteStyle(site)}</style>
        <script type="module" src={SCRIPT_PATH} />
        {sharing ? (
          <SharingTags site={site} title={title} sharing={sharing} />
        ) : (
          <meta name="robots" content="noindex" />
        )}
        {head}
      </head>
      <body
        data-base={site.path}
        data-paywall={site.paywallId}
        data-embedder={site.embedder?.origin}
        data-over={site.isGivenOver || undefined}
        data-close={site.embedder && site.texts.close}
      >
        <header>
          <a class="brand" href={site.href(PAYWALL_PATH)}>
            <Brand site={site} />
          </a>
        </header>
        <main class={isWide ? 'wide' : 'narrow'}>
          {site.sessionEnd && <Notice kind="news" text={site.texts.sessionEnds[site.sessionEnd]} />}
          {children}
        </main>
        <Footer site={site} showsLocalPrices={showsLocalPrices ?? false} />
      </body>
    </html>
  )}`
}

/** Search engines know the page in each of its languages by a URL without the visitor's choices. */
function SharingTags({ site, title, sharing }: { site: Site; title: string; sharing: Sharing }) {
  const { description, picture } = sharing
  const url = site.absolute(site.href(PAYWALL_PATH))
  const locales = Object.keys(site.structure.locales)
  return (
    <>
      <link rel="canonical" href={url} />
      {locales.length > 1 &&
        locales.map((locale) => (
          <link rel="alternate" hreflang={parseTag(locale)} href={site.absolute(site.href(PAYWALL_PATH, { locale }))} />
        ))}
      {description && <meta name="description" content={description} />}
      <meta property="og:type" content="website" />
      <meta property="og:url" content={url} />
      <meta property="og:site_name" content={site.structure.settings.name} />
      <meta property="og:title" content={title} />
      {description && <meta property="og:description" content={description} />}
      {picture && <meta property="og:image" content={site.absolute(site.image(picture.src))} />}
      {picture && <meta name="twitter:card" content={picture.isLogo ? 'summary' : 'summary_large_image'} />}
    </>
  )
}

/** The inline style of a paywall's pages. */
export const siteStyle = (site: Site): string => brandStyle(site.structure.settings.brand_color) + choiceStyle(site)

/** The logo, or the paywall's name. */
function Brand({ site }: { site: Site }) {
  const { logo, name } = site.structure.settings
  if (!logo) return <>{name}</>
  return <img class="logo" src={site.image(logo.src)} alt={logo.alt ? site.text(logo.alt) : name} />
}

function Footer({ site, showsLocalPrices }: { site: Site; showsLocalPrices: boolean }) {
  const { texts, structure } = site
  const languages = Object.keys(structure.locales)
  return (
    <footer>
      <nav aria-label={texts.footer}>
        <a href={site.href(ACCOUNT_PATH)}>{texts.account}</a>
        <a href={site.href(RESTORE_PATH)}>{texts.restoreLink}</a>
        <a href={site.href(TICKET_PATH)}>{texts.ticketLink}</a>
      </nav>
      <OwnerLinks site={site} names={['terms', 'privacy', 'imprint', 'help']} />
      {languages.length > 1 && (
        <nav aria-label={texts.languages}>
          {languages.map((locale) => (
            <a
              href={site.hereIn(locale)}
              lang={parseTag(locale)}
              hreflang={parseTag(locale)}
              aria-current={locale === site.locale && 'true'}
            >
              {languageName(locale)}
            </a>
          ))}
        </nav>
      )}
      {showsLocalPrices && (
        <p>
          <a href="https://db-ip.com">{texts.geo}</a>
        </p>
      )}
    </footer>
  )
}

/** The name of a language in that language: `Deutsch`. */
function languageName(locale: string): string {
  const tag = parseTag(locale)
  return new Intl.DisplayNames(tag, { type: 'language', fallback: 'none' }).of(tag) ?? locale
}
