import type { StoredFigures } from './figures.ts'

/** The name of a row of figures: a day like 2026-11-03, a price by its slug, a country by its code. */
export function nameKey({ by, paywalls }: Pick<StoredFigures, 'by' | 'paywalls'>, key: string): string {
  if (by !== 'price') return key === '' ? 'unknown' : key
  const slash = key.indexOf('/')
  const [paywallId, slug] = [key.slice(0, slash), key.slice(slash + 1) || 'other price']
  return Object.keys(paywalls).length > 1 ? `${slug}, ${paywalls[paywallId] ?? paywallId}` : slug
}
