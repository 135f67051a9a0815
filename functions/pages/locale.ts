import { parseAccept } from 'hono/utils/accept'

/**
 * The best of `offered` for a visitor: the locale that the visitor chose, else the first that the browser asks for, and in that
 * the same language where the region differs. Else English, or the first that there is.
 */
export function localeFor(offered: string[], chosen: string | undefined, acceptLanguage: string | undefined): string {
  const wanted = [...(chosen ? [chosen] : []), ...parseAccept(acceptLanguage ?? '').map(({ type }) => type)]
  const found = wanted.map((each) => nearest(offered, each)).find((each) => each !== undefined)
  return found ?? nearest(offered, 'en') ?? offered[0] ?? 'en'
}

function nearest(offered: string[], wanted: string): string | undefined {
  const same = (one: string, other: string) => tagOf(one).toLowerCase() === tagOf(other).toLowerCase()
  return offered.find((each) => same(each, wanted)) ?? offered.find((each) => languageOf(each) === languageOf(wanted))
}

const languageOf = (locale: string) => tagOf(locale).split('-')[0]

/** A locale as HTML and `Intl` name it; `und` for text that names no language, as an owner's own key may. */
export function tagOf(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale.replaceAll('_', '-'))[0] ?? 'und'
  } catch (error) {
    if (error instanceof RangeError) return 'und'
    throw error
  }
}
