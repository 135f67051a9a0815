import type { Spread } from '../statistics.ts'

/** Formats a table: the first column is text, the others are figures. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0), title.length),
  )
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n')
}

/** Formats a figure with significant decimals only. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '-'
  const size = Math.abs(value)
  return value.toFixed(size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2)
}

/** `12.3 (11.9-14.0)`: the median, the smallest and the largest. */
export function spreadText({ median, min, max }: Spread): string {
  if (!Number.isFinite(median)) return '-'
  return `${formatNumber(median)} (${formatNumber(min)}-${formatNumber(max)})`
}
