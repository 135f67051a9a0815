import { minute } from '../home/words.ts'
import type { Access } from './owner.ts'
import type { Row } from './play.ts'

/** In characters: a table that a terminal of 120 holds. */
const [TIME, DID, EVENTS, ACCESS] = [16, 38, 30, 30]
const WIDTHS = [TIME, DID, EVENTS, ACCESS]
const HEAD = ['Time', 'What happened', 'The owner was told', 'Access']

/** The head of the table, with a line below it. */
export const headLines = () => [
  ...lineOf(HEAD.map((title) => [title])),
  ...lineOf(WIDTHS.map((width) => ['-'.repeat(width)])),
]

/** A row of the table: as many lines as its longest cell has. */
export const rowLines = ({ at, did, events, access }: Row) =>
  lineOf([[minute(at)], wrapped(did, DID), events, wrapped(accessWords(access), ACCESS)])

function lineOf(cells: string[][]): string[] {
  const height = Math.max(...cells.map((cell) => cell.length), 1)
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((cell, column) => (cell[line] ?? '').padEnd(WIDTHS[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function accessWords(access: Access | null): string {
  if (!access) return 'unknown'
  const tokens = access.balances.map(({ type, count }) => `${count} ${type}`)
  return [access.paid ? 'paid' : 'not paid', access.status ?? 'no purchase', ...tokens].join(', ')
}

/** A text in lines of at most so many characters, broken between words. */
function wrapped(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last === '') lines.splice(-1, 1, word)
    else if (last.length + 1 + word.length <= width) lines.splice(-1, 1, `${last} ${word}`)
    else lines.push(word)
  }
  return lines
}
