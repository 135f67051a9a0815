import { ratios, spread } from '../statistics.ts'
import { spreadText, table } from './table.ts'

/** The results of one round by scenario, in milliseconds or deliveries per second. */
export type EventRound = Record<string, number>

/** One row per figure: this tree's, and with another commit to compare with, that one's and their ratio. */
export function eventTable(rounds: Record<string, EventRound[]>, here: string, against: string | undefined): string {
  const ours = rounds[here] ?? []
  const others = against === undefined ? undefined : rounds[against]
  const rows = Object.keys(ours[0] ?? {}).map((name) => {
    const values = (of: EventRound[]) => of.map((round) => round[name] ?? Number.NaN)
    const comparison = others ? [spread(values(others)), ratios(values(ours), values(others))] : []
    return [name, spreadText(spread(values(ours))), ...comparison.map(spreadText)]
  })
  return table(['figure', here, ...(against === undefined ? [] : [against, `${here} / ${against}`])], rows)
}
