import { sql } from 'kysely'
import { isDay } from '../lib/figures/days.ts'
import { type Breakdown, FIGURES, type StoredFigures } from '../lib/figures/figures.ts'
import { CONVERTED, createReport, currenciesIn, nameKey, type Report, type ReportRow } from '../lib/figures/report.ts'
import { toDecimalText } from '../lib/money/money.ts'
import { CommandError, type CommandResult, required } from './command.ts'
import { inRelease, withDatabase } from './database.ts'
import { enterLocalWorld } from './local-world.ts'
import { type Cell, formatTable } from './table.ts'
import { findUsers, type UsersOptions, usersName } from './users/named-user.ts'

interface StatsOptions extends UsersOptions {
  from?: string | undefined
  to?: string | undefined
  by: Breakdown
}

/** What the text shows of each row. */
const SHOWN = [
  'revenue',
  'refunds',
  'mrr',
  'subscriptions',
  'new_subscriptions',
  'churned_subscriptions',
  'failed_payments',
]

/** `paywall stats`: the figures that the console's Overview shows. */
export async function showStats({ from, to, by, ...options }: StatsOptions): Promise<CommandResult> {
  for (const day of [from, to]) {
    if (day !== undefined && !isDay(day)) throw new CommandError([`${day} is no day: write it like 2026-11-03`])
  }
  if (from !== undefined && to !== undefined && from > to) throw new CommandError(['--from must not be after --to'])
  enterLocalWorld()
  const figures = await withDatabase(required('DATABASE_URL'), async (db) => {
    const { ownerId, isTest } = await findUsers(db, usersName(options))
    return inRelease<StoredFigures>(
      db,
      sql`figures_json(${ownerId}::uuid, ${isTest}, ${by}, ${from ?? null}::date, ${to ?? null}::date)`,
    )
  })
  return toResult(figures)
}

function toResult(figures: StoredFigures): CommandResult {
  const { first_day: from, last_day: to, by } = figures
  const wanted = [...currenciesIn(figures), ...(figures.rates.length > 0 ? [CONVERTED] : [])]
  const reports = wanted.flatMap((currency) => createReport(figures, currency) ?? [])
  const head = `${from} to ${to}, by ${by}`
  const text =
    reports.length === 0
      ? `No figures from ${from} to ${to}.`
      : [head, ...reports.map((report) => toText(figures, report))].join('\n\n')
  return { text, json: { from, to, by, reports: reports.map(toJson) } }
}

/** Amounts are in minor units. */
function toJson({ currency, isConverted, missing, rows, total }: Report) {
  const toNumbers = (values: ReportRow['values']) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]))
  return {
    currency,
    is_converted: isConverted,
    missing_rates: missing,
    total: toNumbers(total),
    rows: rows.map(({ key, values }) => ({ key, ...toNumbers(values) })),
  }
}

function toText(figures: StoredFigures, { by, currency, isConverted, missing, rows, total }: Report): string {
  const columns = FIGURES.filter(({ name }) => SHOWN.includes(name))
  const number = (text: string): Cell => ({ text, isNumber: true })
  const toCells = (key: string, values: ReportRow['values']): Cell[] => [
    key,
    ...columns.map(({ name, unit }) =>
      number(unit === 'money' ? toDecimalText(values[name], currency) : String(values[name])),
    ),
  ]
  const table = formatTable([
    [by, ...columns.map(({ label }) => number(label))],
    ...rows.map(({ key, values }) => toCells(nameKey(figures, key), values)),
    toCells('total', total),
  ])
  const title = isConverted ? `All currencies, in ${currency}` : currency
  const note = missing.length > 0 ? [`Not included, because an exchange rate is missing: ${missing.join(', ')}`] : []
  return [title, ...note, table].join('\n')
}
