import type { CronRun } from '../contenders/commands.ts'
import type { EndpointRounds, ReferenceRounds } from '../runs/measure-endpoints.ts'
import { ratios, spread } from '../statistics.ts'
import { formatNumber, table } from './table.ts'

/** The results at one size. */
export interface GrowthStep {
  size: number
  endpoints: EndpointRounds[]
  references: ReferenceRounds[]
  /** By world, then by cron. */
  crons: Record<string, Record<string, CronRun>>
}

/** The largest ratio between the times at the largest and the smallest size that still counts as flat. */
const MAX_FLAT_GROWTH = 1.5

/** The time limit of a cron's statement, in milliseconds. */
const STATEMENT_LIMIT_MS = 50

/**
 * Each endpoint's time at each size, relative to `select 1` in the same rounds, so that other load on the machine does not
 * look like growth.
 */
export function growthTable(steps: GrowthStep[], world: string): string {
  const head = [
    `${world}: time relative to the select 1 Worker`,
    ...steps.map(({ size }) => formatNumber(size)),
    'growth',
    '',
  ]
  const names = (steps[0]?.endpoints ?? []).map(({ endpoint }) => endpoint)
  const rows = names.map((name) => {
    const times = steps.map(({ endpoints, references }) => {
      const rounds = endpoints.find(({ endpoint }) => endpoint === name)?.worlds[world] ?? []
      const reference = references[0]?.rounds['select 1'] ?? []
      return ratios(
        rounds.map(({ p50 }) => p50),
        reference.map(({ p50 }) => p50),
      ).median
    })
    const growth = (times.at(-1) ?? Number.NaN) / (times[0] ?? Number.NaN)
    return [name, ...times.map(formatNumber), formatNumber(growth), growth > MAX_FLAT_GROWTH ? 'not flat' : '']
  })
  return table(head, rows)
}

/** Each statement of each cron: its count, median and longest time at each size. */
export function cronTable(steps: GrowthStep[], world: string): string {
  const head = [
    `${world}: a cron's statements, ms: median / longest (count)`,
    ...steps.map(({ size }) => formatNumber(size)),
    '',
  ]
  const crons = Object.keys(steps[0]?.crons[world] ?? {})
  const rows = crons.flatMap((cron) => {
    const runs = steps.map(({ crons: byWorld }) => byWorld[world]?.[cron])
    const queries = [...new Set(runs.flatMap((run) => run?.statements.map(({ query }) => query) ?? []))]
    const totals = [
      `${cron}, total, s`,
      ...runs.map((run) =>
        run ? `${formatNumber(run.milliseconds / 1000)}${run.failed === null ? '' : ' failed'}` : '-',
      ),
      '',
    ]
    const statements = queries.map((query) => {
      const times = runs.map((run) =>
        run?.statements.flatMap((each) => (each.query === query ? each.milliseconds : [])),
      )
      const longest = Math.max(0, ...(times.at(-1) ?? []))
      return [`${cron}: ${shorten(query)}`, ...times.map(formatTimes), longest > STATEMENT_LIMIT_MS ? 'too slow' : '']
    })
    return [totals, ...statements]
  })
  return table(head, rows)
}

function formatTimes(times: number[] | undefined): string {
  if (!times || times.length === 0) return '-'
  const { median, max } = spread(times)
  return `${formatNumber(median)} / ${formatNumber(max)} (${times.length})`
}

/** The beginning of a statement, enough to identify it. */
const shorten = (query: string): string => query.replaceAll(/\s+/g, ' ').trim().slice(0, 48)
