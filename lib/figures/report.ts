// Makes a table of an owner's figures in one currency, from what the database has summed up. The console and `paywall stats` show it.
import { dayBefore, daysBetween } from './days.ts'
import { type ExactAmount, type Exchange, exchangeInto, roundAmount, unchanged } from './exchange.ts'
import {
  type Breakdown,
  FIGURES,
  type FigureName,
  type FigureValues,
  type StoredChanges,
  type StoredFigures,
  type StoredLevels,
} from './figures.ts'

export interface Report {
  by: Breakdown
  firstDay: string
  lastDay: string
  /** What its amounts are in. */
  currency: string
  /** Whether amounts in other currencies are converted and included. Otherwise all figures are of `currency` alone. */
  isConverted: boolean
  /** The currencies that could not be converted on some day. What was paid in them on such a day is not included. */
  missing: string[]
  /** One for each day, or for each price, country or processor: those with the most revenue first. */
  rows: ReportRow[]
  total: FigureValues
  /** The levels before the first day. */
  before: { mrr: bigint; subscriptions: bigint }
}

export interface ReportRow {
  key: string
  values: FigureValues
}

/** Shown in place of a currency's code: all currencies, converted into the owner's. */
export const CONVERTED = 'converted'

/** The currencies in which there are figures. */
export function currenciesIn({ changes, levels }: StoredFigures): string[] {
  const running = levels.filter(({ subscriptions, trials }) => subscriptions !== '0' || trials !== '0')
  return [...new Set([...changes, ...running].map(({ currency }) => currency))].toSorted()
}

/**
 * The report in the `wanted` currency, or with all converted into the owner's. Without a wish all are converted if the owner has exchange
 * rates, else it has the currency with the most payments. Null if there are no figures, or none in the wanted currency.
 */
export function createReport(stored: StoredFigures, wanted: string | null): Report | null {
  const currencies = currenciesIn(stored)
  const figures = { ...stored, changes: stored.changes.map((line) => readChanges(line, stored.names)) }
  const { reporting_currency: target, rates } = figures
  if (currencies.length === 0) return null
  const isConverted = target !== null && (wanted === CONVERTED || (wanted === null && rates.length > 0))
  if (isConverted) return sumUp(figures, target, true, exchangeInto(target, rates))
  const currency = wanted === null || wanted === CONVERTED ? mostPaid(figures, currencies) : wanted
  const isOwn = (line: { currency: string }) => line.currency === currency
  if (!currency || !currencies.includes(currency)) return null
  const own = { ...figures, changes: figures.changes.filter(isOwn), levels: figures.levels.filter(isOwn) }
  return sumUp(own, currency, false, unchanged)
}

interface Changes extends Omit<StoredChanges, 'values'> {
  /** By the names of figures. */
  values: Record<string, bigint>
}

type Figures = Omit<StoredFigures, 'changes'> & { changes: Changes[] }

function readChanges({ values, ...line }: StoredChanges, names: string[]): Changes {
  const each = values.split(' ')
  return { ...line, values: Object.fromEntries(names.map((name, index) => [name, BigInt(each[index] ?? 0)])) }
}

function mostPaid({ changes }: Figures, currencies: string[]): string | undefined {
  const payments = (code: string) =>
    changes.reduce((sum, { currency, values }) => sum + (currency === code ? Number(values.payments) : 0), 0)
  return currencies.toSorted((one, other) => payments(other) - payments(one))[0]
}

/** Counts and exact amounts. */
type Sums = Record<FigureName, bigint>

/** Levels of one currency, in its own minor units. */
interface Level {
  subscriptions: bigint
  mrr: bigint
  trials: bigint
}
type Levels = Map<string, Level>

/** Converts an amount. One that cannot be converted counts as nothing, and its currency is reported as missing. */
type Convert = (amount: bigint, currency: string, day: string | null) => ExactAmount

function sumUp(figures: Figures, currency: string, isConverted: boolean, exchange: Exchange): Report {
  const { by, first_day: firstDay, last_day: lastDay, levels } = figures
  const missing = new Set<string>()
  const convert: Convert = (amount, of, day) => {
    const exact = amount === 0n ? 0n : exchange(amount, of, day)
    if (exact === null) missing.add(of)
    return exact ?? 0n
  }
  const before = addLevels(noSums(), toLevels(levels), dayBefore(firstDay), convert)
  const sums = by === 'day' ? sumDays(figures, convert) : sumKeys(figures, convert)
  const total = toValues(sumTotal([...sums.values()], by === 'day'))
  const rows = [...sums].map(([key, each]) => ({ key, values: toValues(each) }))
  return {
    by,
    firstDay,
    lastDay,
    currency,
    isConverted,
    missing: [...missing].toSorted(),
    rows: by === 'day' ? rows : rows.filter(hasValues).toSorted(byRevenue),
    total,
    before: { mrr: roundAmount(before.mrr), subscriptions: before.subscriptions },
  }
}

function sumDays({ first_day, last_day, changes, levels }: Figures, convert: Convert): Map<string, Sums> {
  const byDay = Map.groupBy(changes, ({ key }) => key)
  const running = toLevels(levels)
  return new Map(
    daysBetween(first_day, last_day).map((day) => {
      const lines = byDay.get(day) ?? []
      changeLevels(running, lines)
      return [day, addLevels(sumChanges(lines, convert), running, day, convert)]
    }),
  )
}

function sumKeys({ last_day, changes, levels }: Figures, convert: Convert): Map<string, Sums> {
  const changesByKey = Map.groupBy(changes, ({ key }) => key)
  const levelsByKey = Map.groupBy(levels, ({ key }) => key)
  return new Map(
    [...new Set([...changesByKey.keys(), ...levelsByKey.keys()])].map((key) => {
      const lines = changesByKey.get(key) ?? []
      const running = toLevels(levelsByKey.get(key) ?? [])
      changeLevels(running, lines)
      return [key, addLevels(sumChanges(lines, convert), running, last_day, convert)]
    }),
  )
}

/** What happened, without the levels. */
function sumChanges(lines: Changes[], convert: Convert): Sums {
  const sums = noSums()
  for (const { currency, rate_day, values } of lines) {
    for (const { name, unit } of CHANGES) {
      const value = values[name] ?? 0n
      sums[name] += unit === 'money' ? convert(value, currency, rate_day) : value
    }
  }
  sums.net_revenue = sums.revenue - sums.refunds - sums.lost_disputes
  return sums
}

/** The levels of all keys together. */
function toLevels(stored: StoredLevels[]): Levels {
  const levels: Levels = new Map()
  for (const { currency, subscriptions, mrr, trials } of stored) {
    addLevel(levels, currency, { subscriptions: BigInt(subscriptions), mrr: BigInt(mrr), trials: BigInt(trials) })
  }
  return levels
}

function addLevel(levels: Levels, currency: string, { subscriptions, mrr, trials }: Level): void {
  const before = levels.get(currency) ?? { subscriptions: 0n, mrr: 0n, trials: 0n }
  levels.set(currency, {
    subscriptions: before.subscriptions + subscriptions,
    mrr: before.mrr + mrr,
    trials: before.trials + trials,
  })
}

/** Makes levels those after these changes. */
function changeLevels(levels: Levels, lines: Changes[]): void {
  for (const { currency, values } of lines) {
    const { subscriptions = 0n, mrr = 0n, trials = 0n } = values
    addLevel(levels, currency, { subscriptions, mrr, trials })
  }
}

/** Adds the levels at the end of a day. */
function addLevels(sums: Sums, levels: Levels, day: string, convert: Convert): Sums {
  for (const [currency, { subscriptions, mrr, trials }] of levels) {
    sums.subscriptions += subscriptions
    sums.trials += trials
    sums.mrr += convert(mrr, currency, day)
  }
  return sums
}

/** The levels of days are not summed up: the last day has them. */
function sumTotal(rows: Sums[], isByDay: boolean): Sums {
  const total = noSums()
  for (const { name, ...figure } of FIGURES) {
    total[name] =
      isByDay && 'isLevel' in figure ? (rows.at(-1)?.[name] ?? 0n) : rows.reduce((sum, row) => sum + row[name], 0n)
  }
  return total
}

const CHANGES = FIGURES.filter((figure) => !('isLevel' in figure))

const noSums = (): Sums => Object.fromEntries(FIGURES.map(({ name }) => [name, 0n])) as Sums

const toValues = (sums: Sums): FigureValues =>
  Object.fromEntries(
    FIGURES.map(({ name, unit }) => [name, unit === 'money' ? roundAmount(sums[name]) : sums[name]]),
  ) as FigureValues

const hasValues = ({ values }: ReportRow) => Object.values(values).some((value) => value !== 0n)

function byRevenue({ values: one }: ReportRow, { values: other }: ReportRow): number {
  const difference = other.revenue - one.revenue || other.mrr - one.mrr
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

/** The name of a row of figures: a day like 2026-11-03, a price by its slug, a country by its code. */
export function nameKey({ by, paywalls }: Pick<StoredFigures, 'by' | 'paywalls'>, key: string): string {
  if (by !== 'price') return key === '' ? 'unknown' : key
  const slash = key.indexOf('/')
  const [paywallId, slug] = [key.slice(0, slash), key.slice(slash + 1) || 'other price']
  return Object.keys(paywalls).length > 1 ? `${slug}, ${paywalls[paywallId] ?? paywallId}` : slug
}
