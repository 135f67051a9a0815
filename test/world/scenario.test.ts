import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'

const TIMEOUT_MS = 120_000

interface Run {
  code: unknown
  out: string
  err: string
}
const NONE: Run = { code: null, out: '', err: '' }

/** The three runs are concurrent: they mostly wait. */
let [asTable, asJson, atAll]: [Run, Run, Run] = [NONE, NONE, NONE]

beforeAll(async () => {
  ;[asTable, asJson, atAll] = await Promise.all([
    scenario('trial-to-churn'),
    scenario('refund', '--processor', 'chargebee', '--json'),
    scenario('refund', '--all'),
  ])
}, TIMEOUT_MS)

test('a scenario is printed with the events and the access after each step', () => {
  expect(asTable.code).toBe(0)
  const rows = getRows(getStepsTable(asTable.out))
  expect(rows.map(({ did }) => did)).toEqual([
    'Ann buys monthly',
    '8 days pass',
    '31 days pass',
    'Ann cancels: too expensive',
    '31 days pass',
  ])
  expect(rows.map(({ access }) => access)).toEqual([
    'paid, monthly trialing, 50 standard: export, history',
    'paid, monthly active, 550 standard: export, history',
    'paid, monthly active, 1050 standard: export, history',
    expect.stringMatching(/^paid, monthly active until \d{4}-\d\d-\d\d, 1050 standard: export, history$/),
    'not paid, monthly canceled, 1050 standard',
  ])
  expect(rows[0]!.events.toSorted()).toEqual(['checkout.completed', 'subscription.created'])
  expect(rows[1]!.events).toEqual(expect.arrayContaining(['subscription.trial_ending', 'payment.succeeded 9.99 USD']))
  expect(rows.slice(3).map(({ events }) => events)).toEqual([['subscription.cancel_scheduled'], ['subscription.ended']])
})

test("the second table has the charges and the owner's events of each month", () => {
  const months = getMonthLines(asTable.out)
  expect(months.map((line) => line.slice(9, 47).trim())).toEqual(['9.99 USD', '9.99 USD', 'nothing'])
  expect(months.at(-1)).toContain('subscription.ended')
})

test('with --json a scenario is printed as one document', () => {
  expect(asJson.code).toBe(0)
  const { processor, steps, months } = JSON.parse(asJson.out)
  expect(processor).toBe('chargebee')
  expect(steps.map(({ access }: { access: { paid: boolean } }) => access.paid)).toEqual([true, true, false])
  expect(steps.at(-1).events).toContainEqual({ at: expect.any(String), type: 'payment.refunded', about: '249.00 USD' })
  for (const { at, did } of steps) expect([new Date(at).toISOString(), did]).toEqual([at, expect.any(String)])
  expect(months).toMatchObject([
    { charges: [{ amount: 24900, currency: 'USD', refunded: 24900, chargedBack: 0 }], events: expect.any(Array) },
  ])
})

test("with --all each processor has a table of its charges and the owner's events by month", () => {
  expect(atAll.code).toBe(0)
  const titles = PROCESSOR_NAMES.map((acquiring) => DEFINITIONS[acquiring].title)
  expect(atAll.out.split('\n').filter((line) => titles.includes(line))).toEqual(titles)
  for (const part of atAll.out.split(/^Month /m).slice(1)) {
    expect(part).toContain(' 249.00 USD (249.00 USD refunded)')
    expect(part.split(/[\s,]+/)).toEqual(
      expect.arrayContaining(['checkout.completed', 'payment.succeeded', 'payment.refunded']),
    )
    expect(part).toContain('Access at the end: not paid, lifetime refunded')
  }
})

test('without a name the scenarios are listed, and for a misspelt one the intended one is suggested', async () => {
  const paypal = ['refund', '--processor', 'paypal']
  const both = ['refund', '--processor', 'polar', '--all']
  const [listed, misspelt, nobody, twice] = await Promise.all([
    scenario(),
    scenario('trial-to-chrun'),
    scenario(...paypal),
    scenario(...both),
  ])
  expect(listed.code).toBe(0)
  for (const name of [
    'trial-to-churn',
    'failed-payment-recovers',
    'refund',
    'rebuy',
    'switch-plan',
    'chargeback',
    'upgrade',
  ]) {
    expect(listed.out).toMatch(new RegExp(`^  ${name} +\\w`, 'm'))
  }
  expect(misspelt).toMatchObject({
    code: 1,
    err: 'there is no scenario trial-to-chrun: did you mean trial-to-churn?\n',
  })
  expect(nobody).toMatchObject({
    code: 1,
    err: expect.stringContaining(`must be one of ${PROCESSOR_NAMES.join(', ')}`),
  })
  expect(twice).toMatchObject({ code: 1, err: expect.stringContaining('cannot be combined') })
})

/** Runs the command in its own process. */
function scenario(...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    const cwd = join(import.meta.dirname, '../..')
    execFile(process.execPath, ['dev/world/scenario/main.ts', ...args], { cwd }, (error, out, err) => {
      resolve({ code: error?.code ?? 0, out, err })
    })
  })
}

/** The table of steps, which ends with an empty line. */
const getStepsTable = (out: string) => out.split('\n\n')[0] ?? ''

/** The first line of each month in the table of months. */
const getMonthLines = (out: string) => (out.split('\n\n')[1] ?? '').split('\n').filter((line) => /^\d/.test(line))

/** The rows of the table of steps: a line without a time continues the previous row. */
function getRows(out: string): { did: string; events: string[]; access: string }[] {
  const [head = '', , ...lines] = out.trimEnd().split('\n')
  const starts = ['What happened', 'Events to the owner', 'Access'].map((title) => head.indexOf(title))
  const rows: string[][][] = []
  for (const line of lines) {
    const cells = starts.map((start, column) => line.slice(start, starts[column + 1]).trim())
    if (/^\d/.test(line)) rows.push(cells.map(() => []))
    for (const [column, cell] of cells.entries()) if (cell !== '') rows.at(-1)![column]!.push(cell)
  }
  return rows.map(([did = [], events = [], access = []]) => ({ did: did.join(' '), events, access: access.join(' ') }))
}
