import { parseTag } from '../locale.ts'
import { DE } from './de.ts'
import { EN, type Texts } from './en.ts'

/** The pages' own texts by language. */
export const TEXTS: Readonly<Record<string, Texts>> = { en: EN, de: DE }

/** The pages' own texts for a locale, or English if there are none in its language. */
export const textsFor = (locale: string): Texts => TEXTS[parseTag(locale).split('-')[0] ?? ''] ?? EN
