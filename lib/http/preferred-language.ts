/** The languages of what we write ourselves, where no paywall's locale is known. */
export type Language = 'en' | 'de'

/** A text, or texts, in each language. */
export type InLanguages<Content> = Readonly<Record<Language, Content>>

/** How many of a browser's languages are considered: people have a few, but the header has room for thousands. */
const MAX_LANGUAGES = 20

/** The language that an `Accept-Language` header prefers. English if it accepts none of ours. */
export function preferredLanguage(acceptLanguage: string | null | undefined): Language {
  const accepted = (acceptLanguage ?? '').split(',', MAX_LANGUAGES).map(parseRange)
  const best = accepted.filter(({ q }) => q > 0).toSorted((one, other) => other.q - one.q)
  return best.map(({ language }) => language).find(isOurs) ?? 'en'
}

/** Parses a range such as `de-AT;q=0.8`. */
function parseRange(range: string): { language: string; q: number } {
  const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return { language: tag.split('-')[0] ?? '', q: q === undefined ? 1 : Number(q) }
}

const isOurs = (language: string): language is Language => language === 'en' || language === 'de'
