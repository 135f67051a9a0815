import { nearestLocale, parseLocale } from '../../lib/http/locale.ts'
import { acceptedLanguages } from '../../lib/http/preferred-language.ts'

/**
 * Picks the best of `offered`: the locale that the visitor chose, else the first in `Accept-Language` that is offered, with the same
 * language in another script or region as a match. Undefined if the visitor wants none of them. hono/language has one list of languages for
 * the whole app, but each paywall offers its own.
 */
export function wantedLocale(
  offered: string[],
  chosen: string | undefined,
  acceptLanguage: string | undefined,
): string | undefined {
  for (const wanted of [...(chosen ? [chosen] : []), ...acceptedLanguages(acceptLanguage)]) {
    const found = nearestLocale(offered, wanted)
    if (found !== undefined) return found
  }
  return undefined
}

/** The locale of `offered` for a visitor who wants none of them: English, or else the first. */
export const defaultLocale = (offered: string[]): string => nearestLocale(offered, 'en') ?? offered[0] ?? 'en'

/**
 * Parses a locale into a BCP 47 tag for HTML and `Intl`, without extensions such as a calendar, which the pages' texts do not follow.
 * Returns `und` if it names no language, as an owner's key in `locales` may.
 */
export const parseTag = (locale: string): string => parseLocale(locale)?.baseName ?? 'und'
