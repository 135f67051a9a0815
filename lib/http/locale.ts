/** Parses a locale as owners and browsers write it, such as `de`, `de_AT` or `zh-Hant-TW`; null if it is none. */
export function parseLocale(text: string): Intl.Locale | null {
  try {
    return new Intl.Locale(text.replaceAll('_', '-'))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** The closest of `offered` to a locale; undefined if none has its language. */
export function nearestLocale(offered: Iterable<string>, wanted: string): string | undefined {
  const all = [...offered]
  if (all.includes(wanted)) return wanted
  const locale = parseLocale(wanted)
  if (!locale) return undefined
  const close = all.flatMap((key) => {
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
