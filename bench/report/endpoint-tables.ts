import type { Reference } from '../contenders/bare.ts'
import type { EndpointRounds, ReferenceRounds, WorldRound } from '../runs/measure-endpoints.ts'
import type { StatementRounds } from '../statements/measure.ts'
import { ratios, spread } from '../statistics.ts'
import { formatNumber, spreadText, table } from './table.ts'

/** The table of endpoints, with the bare Workers and the other world, if any. */
export function endpointTable(
  { endpoints, references }: { endpoints: EndpointRounds[]; references: ReferenceRounds[] },
  here: string,
  against: string | undefined,
): string {
  const head = ['endpoint', 'conns', 'requests/s', 'p50 ms', 'p99 ms', 'statements', 'database ms']
  const beside = Object.keys(references[0]?.rounds ?? {}) as Reference[]
  const rows = endpoints.map(({ endpoint, connections, worlds }) => {
    const rounds = worlds[here] ?? []
    const reference = references.find((each) => each.connections === connections)
    const other = against === undefined ? undefined : worlds[against]
    return [
      endpoint,
      String(connections),
      spreadText(spread(rounds.map(({ perSecond }) => perSecond))),
      ...middles(rounds, ['p50', 'p99', 'statements', 'databaseMs']),
      ...beside.map((name) => spreadText(faster(rounds, reference?.rounds[name] ?? []))),
      ...(other ? [faster, sooner, lessDatabase].map((compare) => spreadText(compare(rounds, other))) : []),
    ]
  })
  const bareRows = references.flatMap(({ connections, rounds }) =>
    beside.map((name) => [
      `(${name})`,
      String(connections),
      spreadText(spread(rounds[name].map(({ perSecond }) => perSecond))),
      ...middles(rounds[name], ['p50', 'p99']),
    ]),
  )
  const more = against === undefined ? [] : [`x ${against}`, `x ${against}, p50`, `x ${against}, database`]
  return table([...head, ...beside.map((name) => `x ${name}`), ...more], [...rows, ...bareRows])
}

/** The table of the endpoints' statements called directly. */
export function statementTable(rounds: StatementRounds[], here: string, against: string | undefined): string {
  const head = ['statement, called directly', 'conns', 'calls/s', 'mean ms', 'p99 ms', 'verdict']
  const rows = rounds.map(({ endpoint, position, connections, worlds, verdicts }) => {
    const ours = worlds[here] ?? []
    const other = against === undefined ? undefined : worlds[against]
    return [
      position === 1 ? endpoint : `${endpoint}, statement ${position}`,
      String(connections),
      spreadText(spread(ours.map(({ perSecond }) => perSecond))),
      ...middles(ours, ['mean', 'p99']),
      (verdicts[here] ?? []).join(' '),
      ...(other ? [spreadText(faster(ours, other))] : []),
    ]
  })
  return table([...head, ...(against === undefined ? [] : [`x ${against}`])], rows)
}

const middles = <Name extends string>(rounds: Record<Name, number>[], names: Name[]): string[] =>
  names.map((name) => formatNumber(spread(rounds.map((round) => round[name])).median))

const faster = (ours: { perSecond: number }[], others: { perSecond: number }[]) =>
  ratios(
    ours.map(({ perSecond }) => perSecond),
    others.map(({ perSecond }) => perSecond),
  )

/** The quotient of the median latencies. */
const sooner = (ours: WorldRound[], others: WorldRound[]) =>
  ratios(
    others.map(({ p50 }) => p50),
    ours.map(({ p50 }) => p50),
  )

/** The quotient of the database times per request. */
const lessDatabase = (ours: WorldRound[], others: WorldRound[]) =>
  ratios(
    others.map(({ databaseMs }) => databaseMs),
    ours.map(({ databaseMs }) => databaseMs),
  )
