import { parseAccept } from 'hono/utils/accept'

/** The languages of what we write ourselves, where no paywall's locale is known. */
export type Language = 'en' | 'de'

/** A text, or texts, in each language. */
export type InLanguages<Content> = Readonly<Record<Language, Content>>

/** How many of a browser's languages are considered: people have a few, but the header has room for thousands. */
const MAX_LANGUAGES = 20

/** The language tags that an `Accept-Language` header accepts, the preferred ones first. */
export const acceptedLanguages = (acceptLanguage: string | null | undefined): string[] =>
  parseAccept(acceptLanguage ?? '')
    .filter(({ q }) => q > 0)
    .slice(0, MAX_LANGUAGES)
    .map(({ type }) => type)

/** The language that an `Accept-Language` header prefers. English if it accepts none of ours. */
export const preferredLanguage = (acceptLanguage: string | null | undefined): Language =>
  acceptedLanguages(acceptLanguage)
    .map((tag) => tag.split('-')[0]?.toLowerCase())
    .find(isOurs) ?? 'en'

const isOurs = (language: string | undefined): language is Language => language === 'en' || language === 'de'
