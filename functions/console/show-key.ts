import type { StoredFigures } from '../../lib/figures/figures.ts'
import { nameKey } from '../../lib/figures/report.ts'
import { formatDate } from '../../lib/text/formats.ts'

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' })

/** The name of a row of figures as a page shows it: `3 Nov 2026`, `India (IN)`. */
export function showKey(figures: StoredFigures, key: string): string {
  if (figures.by === 'day') return formatDate(key)
  if (figures.by === 'country' && key !== '') return `${countryNames.of(key)} (${key})`
  return nameKey(figures, key)
}
