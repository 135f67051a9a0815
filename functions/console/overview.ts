import { showFigures } from '../../generated/calls.ts'
import { connect } from '../../lib/db/connect.ts'
import { daysBetween, isDay } from '../../lib/figures/days.ts'
import { BREAKDOWNS, type Breakdown, type StoredFigures } from '../../lib/figures/figures.ts'
import { createReport } from '../../lib/figures/report.ts'
import { apiError, defineErrors } from '../../lib/http/errors.ts'
import { readQuery } from './form.ts'
import { writeFiguresCsv } from './overview-csv.ts'
import { type ConsoleContext, isTestMode, type PageResult, pageMode, sessionErrors, sessionHash } from './session.ts'
import { showPage } from './show.ts'
import { type OverviewQuery, overviewPage } from './views/overview.tsx'

/** The longest time that a page shows, in days. */
const MAX_DAYS = 732

const DEFAULT_DAYS = 30

const errors = defineErrors<'invalid_range'>({
  invalid_range: [
    400,
    'invalid_range',
    `A range is two days such as 2026-11-03, with at most ${MAX_DAYS} days between them`,
  ],
})

/** Shows the figures of one mode, or sends them as CSV. */
export async function serveOverview(c: ConsoleContext): Promise<Response> {
  const { format, chart = null, ...rest } = await readQuery(c)
  const query = readOverviewQuery(rest)
  const row = await showFigures<PageResult<{ figures: StoredFigures }>>(connect(c.env), {
    sessionHash: await sessionHash(c),
    isTest: isTestMode(c),
    by: query.by,
    firstDay: query.from,
    lastDay: query.to,
    days: query.days,
  })
  if (row.verdict !== 'found') throw apiError(sessionErrors[row.verdict])
  const { figures, viewer } = row
  const report = createReport(figures, query.currency)
  const mode = pageMode(c)
  if (format !== 'csv') return showPage(c, overviewPage({ viewer, figures, report, query, mode }))
  const { name, text } = writeFiguresCsv(figures, report, chart)
  return c.body(text, 200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${mode}-${name}.csv"`,
    'Cache-Control': 'no-store',
  })
}

/** Reads what to show. Without a range it is the last days until today. @throws ApiError 400 */
function readOverviewQuery({ from, to, days, by, currency }: Record<string, string>): OverviewQuery {
  const range = from && to ? { from, to } : { from: null, to: null }
  if ((from || to) && !(from && to && isRange(from, to))) throw apiError(errors.invalid_range)
  const count = days === undefined ? DEFAULT_DAYS : /^\d{1,4}$/.test(days) ? Number(days) : 0
  if (count < 1 || count > MAX_DAYS) throw apiError(errors.invalid_range)
  return {
    ...range,
    days: count,
    by: BREAKDOWNS.find((each): each is Breakdown => each === by) ?? 'day',
    currency: currency || null,
  }
}

function isRange(from: string, to: string): boolean {
  return isDay(from) && isDay(to) && from <= to && daysBetween(from, to).length <= MAX_DAYS
}
