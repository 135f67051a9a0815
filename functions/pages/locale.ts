import { parseAccept } from 'hono/utils/accept'

/** How many of a browser's languages are looked at: people have a few, and the header has room for thousands. */
const MOST_WANTED = 20

/**
 * The best of `offered` for a visitor: the locale that the visitor chose, else the first that the browser asks for, and in that
 * the same language where script or region differ. Else English, or the first that there is.
 */
export function localeFor(offered: string[], chosen: string | undefined, acceptLanguage: string | undefined): string {
  const accepted = parseAccept(acceptLanguage ?? '').filter(({ q }) => q > 0)
  for (const wanted of [...(chosen ? [chosen] : []), ...accepted.slice(0, MOST_WANTED).map(({ type }) => type)]) {
    const found = nearest(offered, wanted)
    if (found !== undefined) return found
  }
  return nearest(offered, 'en') ?? offered[0] ?? 'en'
}

/** That of `offered` which whoever wants a locale reads most easily; undefined if none is in its language. */
function nearest(offered: string[], wanted: string): string | undefined {
  if (offered.includes(wanted)) return wanted
  const locale = parseLocale(wanted)
  if (!locale) return undefined
  const close = offered.flatMap((key) => {
    const closeness = measureCloseness(parseLocale(key), locale)
    return closeness === null ? [] : [{ key, closeness }]
  })
  return close.toSorted((one, other) => other.closeness - one.closeness)[0]?.key
}

/** How close two locales of one language are; null if they are not. A script counts more than a region, and a region than none. */
function measureCloseness(locale: Intl.Locale | null, wanted: Intl.Locale): number | null {
  if (locale?.language !== wanted.language) return null
  if (locale.baseName === wanted.baseName) return 8
  const [full, wantedFull] = [locale.maximize(), wanted.maximize()]
  return (
    4 * Number(full.script === wantedFull.script) +
    2 * Number(full.region === wantedFull.region) +
    Number(locale.baseName === locale.language)
  )
}

/**
 * A locale as HTML and `Intl` name it, without extensions such as a calendar: what the pages say has none. `und` for text that names
 * no language, as an owner's own key may.
 */
export const parseTag = (locale: string): string => parseLocale(locale)?.baseName ?? 'und'

function parseLocale(text: string): Intl.Locale | null {
  try {
    return new Intl.Locale(text.replaceAll('_', '-'))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
