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
  const referenceNames = Object.keys(references[0]?.rounds ?? {}) as Reference[]
  const rows = endpoints.map(({ endpoint, connections, worlds }) => {
    const rounds = worlds[here] ?? []
    const reference = references.find((each) => each.connections === connections)
    const other = against === undefined ? undefined : worlds[against]
    return [
      endpoint,
      String(connections),
      spreadText(spread(rounds.map(({ perSecond }) => perSecond))),
      ...medians(rounds, ['p50', 'p99', 'statements', 'databaseMs']),
      ...referenceNames.map((name) => spreadText(throughputRatio(rounds, reference?.rounds[name] ?? []))),
      ...(other
        ? [throughputRatio, latencyRatio, databaseTimeRatio].map((compare) => spreadText(compare(rounds, other)))
        : []),
    ]
  })
  const bareRows = references.flatMap(({ connections, rounds }) =>
    referenceNames.map((name) => [
      `(${name})`,
      String(connections),
      spreadText(spread(rounds[name].map(({ perSecond }) => perSecond))),
      ...medians(rounds[name], ['p50', 'p99']),
    ]),
  )
  const otherColumns = against === undefined ? [] : [`x ${against}`, `x ${against}, p50`, `x ${against}, database`]
  return table([...head, ...referenceNames.map((name) => `x ${name}`), ...otherColumns], [...rows, ...bareRows])
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
      ...medians(ours, ['mean', 'p99']),
      (verdicts[here] ?? []).join(' '),
      ...(other ? [spreadText(throughputRatio(ours, other))] : []),
    ]
  })
  return table([...head, ...(against === undefined ? [] : [`x ${against}`])], rows)
}

const medians = <Name extends string>(rounds: Record<Name, number>[], names: Name[]): string[] =>
  names.map((name) => formatNumber(spread(rounds.map((round) => round[name])).median))

const throughputRatio = (ours: { perSecond: number }[], others: { perSecond: number }[]) =>
  ratios(
    ours.map(({ perSecond }) => perSecond),
    others.map(({ perSecond }) => perSecond),
  )

/** The quotient of the median latencies. */
const latencyRatio = (ours: WorldRound[], others: WorldRound[]) =>
  ratios(
    others.map(({ p50 }) => p50),
    ours.map(({ p50 }) => p50),
  )

/** The quotient of the database times per request. */
const databaseTimeRatio = (ours: WorldRound[], others: WorldRound[]) =>
  ratios(
    others.map(({ databaseMs }) => databaseMs),
    ours.map(({ databaseMs }) => databaseMs),
  )
