import { acceptedLanguages } from '../../lib/http/preferred-language.ts'

/**
 * Picks the best of `offered`: the locale that the visitor chose, else the first in `Accept-Language` that is offered, with the same
 * language in another script or region as a match. Falls back to English, then to the first one offered. hono/language has one list of
 * languages for the whole app, but each paywall offers its own.
 */
export function localeFor(offered: string[], chosen: string | undefined, acceptLanguage: string | undefined): string {
  for (const wanted of [...(chosen ? [chosen] : []), ...acceptedLanguages(acceptLanguage)]) {
    const found = nearest(offered, wanted)
    if (found !== undefined) return found
  }
  return nearest(offered, 'en') ?? offered[0] ?? 'en'
}

/** The closest of `offered` to a locale; undefined if none has its language. */
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

/** How close two locales are; null if their languages differ. A matching script outweighs a matching region. */
function measureCloseness(locale: Intl.Locale | null, wanted: Intl.Locale): number | null {
  if (locale?.language !== wanted.language) return null
  if (locale.baseName === wanted.baseName) return 8
  const full = locale.maximize()
  const wantedFull = wanted.maximize()
  return (
    4 * Number(full.script === wantedFull.script) +
    2 * Number(full.region === wantedFull.region) +
    Number(locale.baseName === locale.language)
  )
}

/**
 * Parses a locale into a BCP 47 tag for HTML and `Intl`, without extensions such as a calendar, which the pages' texts do not follow.
 * Returns `und` if it names no language, as an owner's key in `locales` may.
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
