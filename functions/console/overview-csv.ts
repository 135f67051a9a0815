import { FIGURES, type StoredFigures } from '../../lib/figures/figures.ts'
import { nameKey, type Report } from '../../lib/figures/report.ts'
import { toDecimalText } from '../../lib/money/money.ts'
import { CHARTS } from './views/overview-charts.ts'

/** Writes the table behind a chart as CSV, or all figures if there is no such chart. Amounts are decimals. `name` is that of the file. */
export function writeFiguresCsv(figures: StoredFigures, report: Report | null, chartId: string | null) {
  const chart = CHARTS.find(({ id }) => id === chartId)
  const columns = FIGURES.filter(({ name }) => !chart || chart.columns.includes(name))
  const { by, first_day: first, last_day: last } = figures
  const lines = (report?.rows ?? []).map(({ key, values }) => [
    toCell(nameKey(figures, key)),
    report?.currency,
    ...columns.map(({ name, unit }) =>
      unit === 'money' ? toDecimalText(values[name], report?.currency ?? '') : String(values[name]),
    ),
  ])
  const head = [by, 'currency', ...columns.map(({ name }) => name)]
  return {
    name: `${chart?.id ?? 'figures'}-by-${by}-${first}-${last}`,
    text: [head, ...lines].map((cells) => `${cells.join(',')}\r\n`).join(''),
  }
}

/** A text as a cell. One that a spreadsheet would take for a formula gets an apostrophe in front. */
function toCell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
