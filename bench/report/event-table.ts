import { ratios, spread } from '../statistics.ts'
import { spreadText, table } from './table.ts'

/** The results of one round by scenario, in milliseconds or deliveries per second. */
export type EventRound = Record<string, number>

/** A row for each figure: of this world and, if there is another, of that one, and their ratio. */
export function eventTable(rounds: Record<string, EventRound[]>, here: string, against: string | undefined): string {
  const ours = rounds[here] ?? []
  const others = against === undefined ? undefined : rounds[against]
  const rows = Object.keys(ours[0] ?? {}).map((name) => {
    const values = (of: EventRound[]) => of.map((round) => round[name] ?? Number.NaN)
    const beside = others ? [spread(values(others)), ratios(values(ours), values(others))] : []
    return [name, spreadText(spread(values(ours))), ...beside.map(spreadText)]
  })
  return table(['figure', here, ...(against === undefined ? [] : [against, `${here} / ${against}`])], rows)
}
