// The figures of an owner. docs/figures.md has the rules that hold for all of them.

/** How figures are split. */
export const BREAKDOWNS = ['day', 'price', 'country', 'acquiring'] as const
export type Breakdown = (typeof BREAKDOWNS)[number]

/** The result of figures_json in functions/console/figures.sql. Days are like 2026-11-03, amounts are decimal strings of minor units. */
export interface StoredFigures {
  by: Breakdown
  first_day: string
  last_day: string
  reporting_currency: string | null
  rates: ExchangeRate[]
  /** The names of the owner's paywalls, by id. */
  paywalls: Record<string, string>
  /** The names of the figures in `changes`. */
  names: string[]
  changes: StoredChanges[]
  levels: StoredLevels[]
}

/** One unit of `currency` is `rate` of the reporting currency, from a day on. */
export interface ExchangeRate {
  currency: string
  from: string
  rate: string
}

export interface StoredChanges {
  key: string
  currency: string
  /** The day of the exchange rates that were valid. */
  rate_day: string | null
  /** One for each of the names, with a space in between. */
  values: string
}

/** At the beginning of the first day. By day there is no key. */
export interface StoredLevels {
  key: string
  currency: string
  subscriptions: string
  mrr: string
  trials: string
}

interface Figure {
  /** That of its column in the database, unless it is computed from others. */
  name: string
  label: string
  unit: 'money' | 'count'
  meaning: string
  /** Whether it is a state at the end of a day, not what happened on it. */
  isLevel?: true
}

/** Every figure, in the order of the columns of a table. */
export const FIGURES = [
  {
    name: 'revenue',
    label: 'Revenue',
    unit: 'money',
    meaning: 'Payments that succeeded: subscriptions, one-time purchases and packs, with taxes and after discounts.',
  },
  {
    name: 'tax',
    label: 'Tax in revenue',
    unit: 'money',
    meaning: 'The part of the revenue that is tax, as far as the processor reports it.',
  },
  {
    name: 'refunds',
    label: 'Refunds',
    unit: 'money',
    meaning:
      'What was refunded, with taxes, on the day of the refund. A refund that fails later is subtracted on that day.',
  },
  {
    name: 'lost_disputes',
    label: 'Lost disputes',
    unit: 'money',
    meaning:
      'What banks returned to buyers because of disputes that you lost. One that is won in the end is subtracted on that day.',
  },
  {
    name: 'net_revenue',
    label: 'Net revenue',
    unit: 'money',
    meaning: 'Revenue without refunds and lost disputes, with taxes and before the fees of the processor.',
  },
  {
    name: 'payments',
    label: 'Payments',
    unit: 'count',
    meaning: 'The number of payments that succeeded.',
  },
  {
    name: 'refund_count',
    label: 'Number of refunds',
    unit: 'count',
    meaning: 'The number of refunds, in full or in part, without those that failed.',
  },
  {
    name: 'disputes',
    label: 'Disputes opened',
    unit: 'count',
    meaning: 'The number of disputes that buyers’ banks opened.',
  },
  {
    name: 'mrr',
    label: 'MRR',
    unit: 'money',
    isLevel: true,
    meaning:
      'Monthly recurring revenue at the end of the day: the prices of all active subscriptions, for a month. A yearly price counts as a twelfth, a weekly one as 52 twelfths. Before discounts; with taxes if the price includes them.',
  },
  {
    name: 'mrr_new',
    label: 'New MRR',
    unit: 'money',
    meaning:
      'MRR of subscriptions that became active for the first time: with their purchase, or when their trial was paid for.',
  },
  {
    name: 'mrr_upgrade',
    label: 'Upgrades',
    unit: 'money',
    meaning:
      'MRR that active subscriptions gained: by a higher plan, more units, a higher price, or a purchase that replaces them.',
  },
  {
    name: 'mrr_recovered',
    label: 'Recovered MRR',
    unit: 'money',
    meaning: 'MRR of subscriptions that became active again after they had churned.',
  },
  {
    name: 'mrr_downgrade',
    label: 'Downgrades',
    unit: 'money',
    meaning: 'MRR that active subscriptions lost and stayed active. It is negative.',
  },
  {
    name: 'mrr_churn',
    label: 'Churned MRR',
    unit: 'money',
    meaning:
      'MRR of subscriptions that ended, were paused, or were still unpaid when their grace period was over. It is negative.',
  },
  {
    name: 'subscriptions',
    label: 'Active subscriptions',
    unit: 'count',
    isLevel: true,
    meaning:
      'Subscriptions at the end of the day that are paid, or past due within their grace period. Trials, one-time purchases and grants are not included.',
  },
  {
    name: 'new_subscriptions',
    label: 'New subscriptions',
    unit: 'count',
    meaning: 'The number of subscriptions behind the new MRR.',
  },
  {
    name: 'recovered_subscriptions',
    label: 'Recovered subscriptions',
    unit: 'count',
    meaning: 'The number of subscriptions behind the recovered MRR.',
  },
  {
    name: 'churned_subscriptions',
    label: 'Churned subscriptions',
    unit: 'count',
    meaning: 'The number of subscriptions behind the churned MRR.',
  },
  {
    name: 'trials',
    label: 'Running trials',
    unit: 'count',
    isLevel: true,
    meaning: 'Trials at the end of the day that are neither converted nor ended.',
  },
  {
    name: 'trials_started',
    label: 'Trials started',
    unit: 'count',
    meaning: 'Trials that began.',
  },
  {
    name: 'trials_converted',
    label: 'Trials converted',
    unit: 'count',
    meaning: 'Trials whose subscription was paid for the first time.',
  },
  {
    name: 'trials_ended',
    label: 'Trials ended unpaid',
    unit: 'count',
    meaning: 'Trials whose subscription ended, or whose grace period was over, without a payment.',
  },
  {
    name: 'failed_payments',
    label: 'Failed payments',
    unit: 'count',
    meaning: 'Payments that failed. Retries of a payment that has failed are not counted again.',
  },
  {
    name: 'failed_amount',
    label: 'Amount of failed payments',
    unit: 'money',
    meaning: 'The sum of the failed payments.',
  },
  {
    name: 'recovered_payments',
    label: 'Recovered payments',
    unit: 'count',
    meaning: 'The first payment of a purchase that succeeded after one that had failed, whenever that was.',
  },
  {
    name: 'recovered_amount',
    label: 'Amount of recovered payments',
    unit: 'money',
    meaning: 'The sum of the recovered payments. It is part of the revenue.',
  },
] as const satisfies readonly Figure[]

export type FigureName = (typeof FIGURES)[number]['name']

/** The figures of a day or of a key: counts, and amounts in minor units. */
export type FigureValues = Record<FigureName, bigint>
