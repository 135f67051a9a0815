import { toDecimalText } from '../../../lib/money/money.ts'
import { DEFINITIONS } from '../../../lib/processors/definitions.ts'
import { formatMinute } from '../home/format.ts'
import type { Charge } from './charges.ts'
import type { Month } from './months.ts'
import type { Access } from './owner.ts'
import type { OwnerEvent } from './owner-event.ts'
import type { Played, Row } from './play.ts'

/** The titles and widths of a table's columns, which fit a terminal of 120 characters. */
type Columns = readonly (readonly [title: string, width: number])[]

const STEPS: Columns = [
  ['Time', 16],
  ['What happened', 38],
  ['Events to the owner', 30],
  ['Access', 30],
]
const MONTHS: Columns = [
  ['Month', 7],
  ['The processor charged', 38],
  ['Events to the owner', 71],
]

/** The header of the table of steps. */
export const headLines = () => head(STEPS)

/** A step, in as many lines as its longest cell needs. */
export const rowLines = ({ at, did, events, access }: Row) =>
  line(STEPS, [[formatMinute(at)], did, events.flatMap(eventLines), accessText(access)])

/** A table of the processor's charges and the owner's events by month. */
export const monthLines = (months: Month[]) => [
  ...head(MONTHS),
  ...months.flatMap(({ month, charges, events }) =>
    line(MONTHS, [[month], chargeLines(charges), events.map(eventText).join(', ')]),
  ),
]

/** What a scenario has come to at a processor: the table of its months, and the buyer's access at its end. */
export const summaryLines = ({ processor, steps, months }: Played) => [
  DEFINITIONS[processor].title,
  '',
  ...monthLines(months),
  '',
  `Access at the end: ${accessText(steps.at(-1)?.access ?? null)}`,
  '',
]

const head = (columns: Columns) => [
  ...line(
    columns,
    columns.map(([title]) => [title]),
  ),
  ...line(
    columns,
    columns.map(([, width]) => ['-'.repeat(width)]),
  ),
]

/** Formats a row: wraps strings, and prints lists with one item a line. */
function line(columns: Columns, cells: (string | string[])[]): string[] {
  const lines = columns.map(([, width], column) => {
    const cell = cells[column] ?? ''
    return typeof cell === 'string' ? wrap(cell, width) : cell
  })
  const height = Math.max(...lines.map((cell) => cell.length), 1)
  return Array.from({ length: height }, (_, row) =>
    columns
      .map(([, width], column) => (lines[column]?.[row] ?? '').padEnd(width))
      .join('  ')
      .trimEnd(),
  )
}

function accessText(access: Access | null): string {
  if (!access) return 'unknown'
  const { paid, purchases, features, balances } = access
  const running = purchases.filter(({ status }) => status !== 'canceled' && status !== 'refunded')
  const shown = (running.length > 0 ? running : purchases.slice(0, 1)).map(purchaseText)
  const tokens = balances.map(({ type, count }) => `${count} ${type}`)
  const state = [paid ? 'paid' : 'not paid', ...(shown.length > 0 ? shown : ['no purchase']), ...tokens].join(', ')
  return features.length > 0 ? `${state}: ${features.join(', ')}` : state
}

const purchaseText = ({ price_slug, status, cancel_at }: Access['purchases'][number]) =>
  `${price_slug ?? 'another price'} ${status}${cancel_at && status !== 'canceled' ? ` until ${day(cancel_at)}` : ''}`

const day = (at: Date) => at.toISOString().slice(0, 10)

export const eventText = ({ type, about }: OwnerEvent) => (about === null ? type : `${type} ${about}`)

const eventLines = (event: OwnerEvent) => wrap(eventText(event), 30)

const chargeLines = (charges: Charge[]) => (charges.length > 0 ? charges.map(chargeText) : ['nothing'])

export function chargeText({ amount, currency, refunded, chargedBack }: Charge): string {
  const money = (part: number) => `${toDecimalText(part, currency)} ${currency}`
  const returned = [
    ...(refunded > 0 ? [`${money(refunded)} refunded`] : []),
    ...(chargedBack > 0 ? [`${money(chargedBack)} charged back`] : []),
  ]
  return returned.length > 0 ? `${money(amount)} (${returned.join(', ')})` : money(amount)
}

/** Wraps a text between words into lines of at most `width` characters. */
function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last === '') lines.splice(-1, 1, word)
    else if (last.length + 1 + word.length <= width) lines.splice(-1, 1, `${last} ${word}`)
    else lines.push(word)
  }
  return lines
}
