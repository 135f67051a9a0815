// Which rows of a report a chart shows: those that are read at a glance. The table behind it has all of them.
import type { FigureName, FigureValues, StoredFigures } from '../../../lib/figures/figures.ts'
import type { Report, ReportRow } from '../../../lib/figures/report.ts'
import { showKey } from '../show-key.ts'
import type { ChartDefinition } from './overview-charts.ts'

export interface ChartRow {
  label: string
  values: Partial<FigureValues>
}

/** More bars of prices or countries are not read at a glance. */
const MAX_BARS = 12

/** Bars of more days are drawn as weeks. */
const MAX_DAYS = 120

export function chartRows(
  figures: StoredFigures,
  { by, rows }: Report,
  { shape, series }: ChartDefinition,
): ChartRow[] {
  const names = series.map(({ figure }) => figure)
  if (by === 'day' && shape === 'bars' && rows.length > MAX_DAYS) return toWeeks(figures, rows, names)
  const shown = by === 'day' ? rows : largest(rows, names)
  return shown.map(({ key, values }) => ({ label: showKey(figures, key), values }))
}

/** Sums of seven days. The last week is a whole one. */
function toWeeks(figures: StoredFigures, rows: ReportRow[], names: FigureName[]): ChartRow[] {
  const weeks = Map.groupBy(rows, (_, index) => Math.floor((rows.length - 1 - index) / 7))
  return [...weeks.values()].map((days) => ({
    label: `${showKey(figures, days[0]!.key)} to ${showKey(figures, days.at(-1)!.key)}`,
    values: Object.fromEntries(names.map((name) => [name, days.reduce((sum, { values }) => sum + values[name], 0n)])),
  }))
}

function largest(rows: ReportRow[], names: FigureName[]): ReportRow[] {
  const size = ({ values }: ReportRow) => names.reduce((sum, name) => sum + Math.abs(Number(values[name])), 0)
  return rows
    .filter((row) => size(row) > 0)
    .toSorted((one, other) => size(other) - size(one))
    .slice(0, MAX_BARS)
}
