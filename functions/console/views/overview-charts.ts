// What the Overview shows as charts.
import type { Breakdown, FigureName } from '../../../lib/figures/figures.ts'
import type { ChartSeries } from './charts.tsx'

interface Series {
  figure: FigureName
  color: ChartSeries['color']
  isBelow?: true
}

export interface ChartDefinition {
  /** Its part of the address of its CSV. */
  id: string
  title: string
  /** What it shows, for those who do not see it. */
  about: string
  /** A line of a level at the end of each day, or bars of what happened. */
  shape: 'line' | 'bars'
  series: Series[]
  /** The columns of the table behind it. */
  columns: FigureName[]
}

export const CHARTS: ChartDefinition[] = [
  {
    id: 'revenue',
    title: 'Revenue',
    about: 'What was paid, with taxes',
    shape: 'bars',
    series: [{ figure: 'revenue', color: 'accent' }],
    columns: ['revenue', 'tax', 'refunds', 'lost_disputes', 'net_revenue', 'payments'],
  },
  {
    id: 'mrr',
    title: 'MRR',
    about: 'The monthly recurring revenue',
    shape: 'line',
    series: [{ figure: 'mrr', color: 'accent' }],
    columns: ['mrr', 'subscriptions'],
  },
  {
    id: 'mrr-changes',
    title: 'Changes of MRR',
    about: 'What was added to the monthly recurring revenue, and what was lost',
    shape: 'bars',
    series: [
      { figure: 'mrr_new', color: 'good' },
      { figure: 'mrr_upgrade', color: 'accent' },
      { figure: 'mrr_recovered', color: 'quiet' },
      { figure: 'mrr_downgrade', color: 'wait' },
      { figure: 'mrr_churn', color: 'bad' },
    ],
    columns: ['mrr_new', 'mrr_upgrade', 'mrr_recovered', 'mrr_downgrade', 'mrr_churn'],
  },
  {
    id: 'subscriptions',
    title: 'Active subscriptions',
    about: 'Subscriptions that are paid, or past due within their grace period',
    shape: 'line',
    series: [{ figure: 'subscriptions', color: 'accent' }],
    columns: ['subscriptions', 'new_subscriptions', 'recovered_subscriptions', 'churned_subscriptions'],
  },
  {
    id: 'trials',
    title: 'Trials',
    about: 'Trials that were converted to paid subscriptions, or ended unpaid',
    shape: 'bars',
    series: [
      { figure: 'trials_converted', color: 'good' },
      { figure: 'trials_ended', color: 'bad' },
    ],
    columns: ['trials', 'trials_started', 'trials_converted', 'trials_ended'],
  },
  {
    id: 'failures',
    title: 'Failed payments',
    about: 'Payments that failed, and those that were recovered',
    shape: 'bars',
    series: [
      { figure: 'recovered_payments', color: 'good' },
      { figure: 'failed_payments', color: 'bad', isBelow: true },
    ],
    columns: ['failed_payments', 'failed_amount', 'recovered_payments', 'recovered_amount'],
  },
  {
    id: 'refunds',
    title: 'Refunds and disputes',
    about: 'What was returned by refunds and by lost disputes',
    shape: 'bars',
    series: [
      { figure: 'refunds', color: 'wait' },
      { figure: 'lost_disputes', color: 'bad' },
    ],
    columns: ['refunds', 'refund_count', 'disputes', 'lost_disputes'],
  },
]

export const BREAKDOWN_NAMES: Record<Breakdown, string> = {
  day: 'Day',
  price: 'Price',
  country: 'Country',
  acquiring: 'Processor',
}
