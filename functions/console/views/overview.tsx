import {
  BREAKDOWNS,
  type Breakdown,
  FIGURES,
  type FigureName,
  type FigureValues,
  type StoredFigures,
} from '../../../lib/figures/figures.ts'
import { CONVERTED, currenciesIn, type Report } from '../../../lib/figures/report.ts'
import { formatCount, formatDate, formatSum } from '../../../lib/text/formats.ts'
import type { Mode, Viewer } from '../session.ts'
import { showKey } from '../show-key.ts'
import { chartRows } from './chart-rows.ts'
import { BarChart, LineChart, RowBars } from './charts.tsx'
import { consolePage } from './layout.tsx'
import { BREAKDOWN_NAMES, CHARTS, type ChartDefinition } from './overview-charts.ts'
import { Table } from './parts.tsx'

/** What the address asks for. */
export interface OverviewQuery {
  /** The first day; null: the last `days` until today. */
  from: string | null
  to: string | null
  days: number
  by: Breakdown
  /** A code, or `converted`; null: the report's choice. */
  currency: string | null
}

interface OverviewProps {
  viewer: Viewer
  figures: StoredFigures
  /** Null: there are no figures. */
  report: Report | null
  query: OverviewQuery
  mode: Mode
}

const DAYS = [7, 30, 90, 365]

export const overviewPage = ({ viewer, figures, report, query, mode }: OverviewProps) =>
  consolePage({
    title: 'Overview',
    section: 'Overview',
    mode,
    viewer,
    children: (
      <>
        <Range figures={figures} query={query} report={report} />
        {report ? (
          <>
            <Missing report={report} />
            <Tiles report={report} />
            <div class="charts">
              {CHARTS.map((chart) => (
                <ChartCard chart={chart} figures={figures} report={report} query={query} />
              ))}
            </div>
            <p>
              <a href={address(query, { format: 'csv' })}>Download all figures as CSV</a>
            </p>
          </>
        ) : (
          <p>Nothing was sold, and no trial began, in this time.</p>
        )}
        <Definitions />
      </>
    ),
  })

/** An address of this page with some parameters changed. */
function address({ from, to, days, by, currency }: OverviewQuery, changes: Record<string, string> = {}): string {
  const range: Record<string, string> = from && to ? { from, to } : { days: String(days) }
  return `?${new URLSearchParams({ ...range, by, ...(currency && { currency }), ...changes })}`
}

function Range({ figures, query, report }: Pick<OverviewProps, 'figures' | 'query' | 'report'>) {
  const { first_day: first, last_day: last, by } = figures
  const currencies = currenciesIn(figures)
  const chosen = report?.isConverted ? CONVERTED : report?.currency
  return (
    <div class="controls">
      <nav class="modes" aria-label="Days">
        {DAYS.map((days) => (
          <a
            href={address({ ...query, from: null, to: null, days })}
            aria-current={query.from === null && query.days === days ? 'true' : undefined}
          >
            {days} days
          </a>
        ))}
      </nav>
      <form method="get" class="search">
        <label>
          From <input type="date" name="from" value={first} required />
        </label>
        <label>
          To <input type="date" name="to" value={last} required />
        </label>
        <label>
          By{' '}
          <select name="by">
            {BREAKDOWNS.map((each) => (
              <option value={each} selected={each === by}>
                {BREAKDOWN_NAMES[each].toLowerCase()}
              </option>
            ))}
          </select>
        </label>
        {(currencies.length > 1 || figures.rates.length > 0) && (
          <label>
            Currency{' '}
            <select name="currency">
              {figures.rates.length > 0 && (
                <option value={CONVERTED} selected={chosen === CONVERTED}>
                  all, in {figures.reporting_currency}
                </option>
              )}
              {currencies.map((code) => (
                <option value={code} selected={chosen === code}>
                  {code} only
                </option>
              ))}
            </select>
          </label>
        )}
        <button type="submit">Show</button>
      </form>
    </div>
  )
}

function Missing({ report: { missing, currency } }: { report: Report }) {
  if (missing.length === 0) return null
  return (
    <p class="problem">
      Not included: amounts in {missing.join(', ')} on days without an exchange rate into {currency}. Add the rates to{' '}
      <code>reporting</code> in the paywall file.
    </p>
  )
}

function Tiles({ report: { total, before, currency } }: { report: Report }) {
  const money = (value: bigint) => formatSum(value, currency)
  const decided = total.trials_converted + total.trials_ended
  return (
    <dl class="tiles">
      <Tile name="Revenue" value={money(total.revenue)} more={`${money(total.net_revenue)} net`} />
      <Tile name="MRR" value={money(total.mrr)} more={`${money(before.mrr)} before`} />
      <Tile
        name="Active subscriptions"
        value={formatCount(total.subscriptions)}
        more={`${formatCount(before.subscriptions)} before`}
      />
      <Tile
        name="Trials converted"
        value={decided === 0n ? '–' : `${(total.trials_converted * 100n + decided / 2n) / decided} %`}
        more={`${formatCount(total.trials_converted)} of ${formatCount(decided)}, ${formatCount(total.trials)} running`}
      />
      <Tile
        name="Failed payments"
        value={formatCount(total.failed_payments)}
        more={`${formatCount(total.recovered_payments)} recovered`}
      />
      <Tile
        name="Refunds"
        value={money(total.refunds)}
        more={`${formatCount(total.disputes)} ${total.disputes === 1n ? 'dispute' : 'disputes'}`}
      />
    </dl>
  )
}

function Tile({ name, value, more }: { name: string; value: string; more: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
      <dd class="hint">{more}</dd>
    </div>
  )
}

interface CardProps {
  chart: ChartDefinition
  figures: StoredFigures
  report: Report
  query: OverviewQuery
}

function ChartCard({ chart, figures, report, query }: CardProps) {
  const { id, title, about, series } = chart
  const format = formatter(series[0]?.figure, report)
  const isEmpty = report.rows.every(({ values }) => series.every(({ figure }) => values[figure] === 0n))
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {series.length > 1 && (
        <p class="legend">
          {series.map(({ figure, color }) => (
            <span class={`key-${color}`}>
              {labelOf(figure)} {format(report.total[figure])}
            </span>
          ))}
        </p>
      )}
      {isEmpty ? <p class="quiet">None in this time.</p> : <Chart chart={chart} figures={figures} report={report} />}
      <details>
        <summary>Table</summary>
        <FigureTable caption={`${title}: ${about}`} columns={chart.columns} figures={figures} report={report} />
        <p>
          <a href={address(query, { chart: id, format: 'csv' })}>Download as CSV</a>
        </p>
      </details>
    </section>
  )
}

function Chart({ chart, figures, report }: Omit<CardProps, 'query'>) {
  const { id, title, about, shape, series } = chart
  const { by, total, firstDay, lastDay } = report
  const format = formatter(series[0]?.figure, report)
  const rows = chartRows(figures, report, chart)
  const sums = series.map(({ figure }) => `${labelOf(figure)}: ${format(total[figure])}`)
  const ends: [string, string] = [formatDate(firstDay), formatDate(lastDay)]
  const props = {
    id,
    title: `${title} by ${BREAKDOWN_NAMES[by].toLowerCase()}`,
    description: `${about}, from ${ends.join(' to ')}. ${sums.join('. ')}.`,
    labels: rows.map(({ label }) => label),
    series: series.map(({ figure, ...drawing }) => ({
      ...drawing,
      name: labelOf(figure),
      values: rows.map(({ values }) => values[figure] ?? 0n),
    })),
    format,
  }
  if (by !== 'day') return <RowBars {...props} isSum={isMoney(series[0]?.figure)} />
  return shape === 'line' ? (
    <LineChart {...props} ends={ends} />
  ) : (
    <BarChart {...props} ends={ends} of={rows.length < report.rows.length ? 'in a week' : undefined} />
  )
}

interface FigureTableProps {
  caption: string
  columns: FigureName[]
  figures: StoredFigures
  report: Report
}

function FigureTable({ caption, columns, figures, report }: FigureTableProps) {
  const cells = (values: FigureValues) =>
    columns.map((name) => <td class="number">{formatter(name, report)(values[name])}</td>)
  return (
    <Table caption={caption} head={[BREAKDOWN_NAMES[report.by], ...columns.map(labelOf)]}>
      {report.rows.map(({ key, values }) => (
        <tr>
          <td class="number">{showKey(figures, key)}</td>
          {cells(values)}
        </tr>
      ))}
      <tr>
        <td>Total</td>
        {cells(report.total)}
      </tr>
    </Table>
  )
}

const FIGURES_BY_NAME = new Map(FIGURES.map((figure) => [figure.name, figure]))

const labelOf = (name: FigureName): string => FIGURES_BY_NAME.get(name)?.label ?? name

const isMoney = (name: FigureName | undefined): boolean =>
  name !== undefined && FIGURES_BY_NAME.get(name)?.unit === 'money'

/** How values of a figure are shown. */
const formatter = (name: FigureName | undefined, { currency }: Report) =>
  isMoney(name) ? (value: bigint) => formatSum(value, currency) : formatCount

function Definitions() {
  return (
    <details>
      <summary>What each figure counts</summary>
      <p>
        Days are in UTC. A fact counts on the day on which it happened, even if the processor reports it later. Figures
        that have a state, such as MRR, are those at the end of the last day. docs/figures.md has more.
      </p>
      <dl>
        {FIGURES.map(({ label, meaning }) => (
          <>
            <dt>{label}</dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
    </details>
  )
}
