import { styleText } from 'node:util'
import { withoutControls } from './without-controls.ts'

/** A cell: its text, or with a colour, or as a number, which is aligned to the right. */
export type Cell = string | { text: string; colour?: Colour; isNumber?: true }

type Colour = 'green' | 'red' | 'yellow'

/** Aligns the columns of rows, two spaces apart. In colour on a terminal, unless NO_COLOR is set. */
export function formatTable(rows: Cell[][]): string {
  const widths = rows.reduce<number[]>(
    (all, row) => row.map((cell, column) => Math.max(all[column] ?? 0, textIn(cell).length)),
    [],
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => formatCell(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const textIn = (cell: Cell): string => withoutControls(typeof cell === 'string' ? cell : cell.text)

function formatCell(cell: Cell, width: number): string {
  const text = textIn(cell)
  const space = ' '.repeat(width - text.length)
  if (typeof cell === 'string') return text + space
  const shown = cell.colour ? styleText(cell.colour, text) : text
  return cell.isNumber ? space + shown : shown + space
}

const COLOURS: Record<string, Colour> = { delivered: 'green', failed: 'red', pending: 'yellow' }

/** A cell in the colour of a delivery's state. */
export function stateCell(text: string, state: string | null): Cell {
  const colour = state === null ? undefined : COLOURS[state]
  return colour ? { text, colour } : text
}
