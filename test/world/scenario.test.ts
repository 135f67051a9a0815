import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'

const TIMEOUT_MS = 60_000

test('a life is told with its events and the access after each step', { timeout: TIMEOUT_MS }, async () => {
  const { code, out } = await scenario('trial-to-churn')
  expect(code).toBe(0)
  const rows = rowsOf(out)
  expect(rows.map(({ did }) => did)).toEqual([
    'Ann buys monthly',
    '8 days pass',
    '31 days pass',
    'Ann cancels: too expensive',
    '31 days pass',
  ])
  expect(rows.map(({ access }) => access)).toEqual([
    'paid, trialing, 50 standard',
    'paid, active, 550 standard',
    'paid, active, 1050 standard',
    'paid, active, 1050 standard',
    'not paid, canceled, 1050 standard',
  ])
  expect(rows[0]!.events.toSorted()).toEqual(['checkout.completed', 'subscription.created'])
  expect(rows[1]!.events).toEqual(expect.arrayContaining(['subscription.trial_ending', 'payment.succeeded']))
  expect(rows.slice(3).map(({ events }) => events)).toEqual([['subscription.cancel_scheduled'], ['subscription.ended']])
})

test('it happens at any processor, and what is refused is told', { timeout: TIMEOUT_MS }, async () => {
  const { code, out } = await scenario('upgrade', '--processor', 'chargebee')
  expect(code).toBe(0)
  const rows = rowsOf(out)
  expect(rows.map(({ did }) => did)).toContain('Ann buys yearly: refused, 409 active_purchase')
  expect(rows.at(-1)).toMatchObject({ did: 'Ann buys yearly', access: 'paid, active, 8550 standard' })
})

test('a program reads a life as one document', { timeout: TIMEOUT_MS }, async () => {
  const { code, out } = await scenario('refund', '--json')
  expect(code).toBe(0)
  const rows: { at: string; did: string; events: string[]; access: { paid: boolean } }[] = JSON.parse(out)
  expect(rows.map(({ access }) => access.paid)).toEqual([true, true, false])
  expect(rows.at(-1)?.events).toContain('payment.refunded')
  for (const { at, did } of rows) expect([new Date(at).toISOString(), did]).toEqual([at, expect.any(String)])
})

test('without a name the lives are listed, and a wrong one is answered with the one that was meant', async () => {
  const listed = await scenario()
  expect(listed.code).toBe(0)
  for (const name of ['trial-to-churn', 'failed-payment-recovers', 'refund', 'upgrade', 'tokens']) {
    expect(listed.out).toMatch(new RegExp(`^  ${name} +\\w`, 'm'))
  }
  expect(await scenario('trial-to-chrun')).toMatchObject({
    code: 1,
    err: 'there is no scenario trial-to-chrun: did you mean trial-to-churn?\n',
  })
  expect(await scenario('refund', '--processor', 'paypal')).toMatchObject({
    code: 1,
    err: expect.stringContaining(`must be one of ${ACQUIRING.join(', ')}`),
  })
})

/** Runs the command as a person does. */
function scenario(...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
  return new Promise((resolve) => {
    const cwd = join(import.meta.dirname, '../..')
    execFile(process.execPath, ['dev/world/scenario/main.ts', ...args], { cwd }, (error, out, err) => {
      resolve({ code: error?.code ?? 0, out, err })
    })
  })
}

/** The rows of the table: a line without a time goes on with the row before. */
function rowsOf(out: string): { did: string; events: string[]; access: string }[] {
  const [head = '', , ...lines] = out.trimEnd().split('\n')
  const starts = ['What happened', 'The owner was told', 'Access'].map((title) => head.indexOf(title))
  const rows: string[][][] = []
  for (const line of lines) {
    const cells = starts.map((start, column) => line.slice(start, starts[column + 1]).trim())
    if (/^\d/.test(line)) rows.push(cells.map(() => []))
    for (const [column, cell] of cells.entries()) if (cell !== '') rows.at(-1)![column]!.push(cell)
  }
  return rows.map(([did = [], events = [], access = []]) => ({ did: did.join(' '), events, access: access.join(' ') }))
}
