import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { readPaywallFile } from '../../cli/paywall-file/file.ts'
import { DEMO_PORTS, demoAt, demoThrough } from '../../dev/world/demo.ts'
import { LIVES } from '../../dev/world/scenario/lives.ts'
import { play, type Row } from '../../dev/world/scenario/play.ts'
import { headLines, rowLines } from '../../dev/world/scenario/table.ts'
import { fileEnvironment } from '../../dev/world/secrets.ts'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import { startTestWorld } from '../support/world.ts'

const TIMEOUT_MS = 60_000

interface Run {
  code: unknown
  out: string
  err: string
}
const NONE: Run = { code: null, out: '', err: '' }

/** Two that run at the same time: each waits more than it computes. */
let [asTable, asJson]: [Run, Run] = [NONE, NONE]

beforeAll(async () => {
  const refund = ['refund', '--processor', 'chargebee', '--json']
  ;[asTable, asJson] = await Promise.all([scenario('trial-to-churn'), scenario(...refund)])
}, TIMEOUT_MS)

test('a life is told with its events and the access after each step', () => {
  expect(asTable.code).toBe(0)
  const rows = rowsOf(asTable.out)
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

test('a program reads a life as one document, at any processor', () => {
  expect(asJson.code).toBe(0)
  const rows: { at: string; did: string; events: string[]; access: { paid: boolean } }[] = JSON.parse(asJson.out)
  expect(rows.map(({ access }) => access.paid)).toEqual([true, true, false])
  expect(rows.at(-1)?.events).toContain('payment.refunded')
  for (const { at, did } of rows) expect([new Date(at).toISOString(), did]).toEqual([at, expect.any(String)])
})

test('what is refused is told', async () => {
  const world = await startTestWorld()
  const { file } = demoThrough('chargebee')
  const { receiver, secrets } = world
  const ports = { ...DEMO_PORTS, receiver: Number(new URL(receiver.url).port) }
  const read = await readPaywallFile(demoAt(ports, JSON.stringify(file)), fileEnvironment(secrets))
  if ('errors' in read) throw new Error(read.errors.join('\n'))
  await world.apply(read.file)
  const stage = { world, paywall: read.file.paywalls[0]!, key: read.file.keys[0]?.secret ?? '' }
  const rows: Row[] = []
  for await (const row of play(stage, LIVES.upgrade!)) rows.push(row)
  expect(rows.map(({ did }) => did)).toContain('Ann buys yearly: refused, 409 active_purchase')
  const lines = rowsOf([...headLines(), ...rows.flatMap(rowLines)].join('\n'))
  expect(lines.at(-1)).toMatchObject({ did: 'Ann buys yearly', access: 'paid, active, 8550 standard' })
  await world.close()
})

test('without a name the lives are listed, and a wrong one is answered with the one that was meant', async () => {
  const paypal = ['refund', '--processor', 'paypal']
  const [listed, misspelt, nobody] = await Promise.all([scenario(), scenario('trial-to-chrun'), scenario(...paypal)])
  expect(listed.code).toBe(0)
  for (const name of ['trial-to-churn', 'failed-payment-recovers', 'refund', 'upgrade', 'tokens']) {
    expect(listed.out).toMatch(new RegExp(`^  ${name} +\\w`, 'm'))
  }
  expect(misspelt).toMatchObject({
    code: 1,
    err: 'there is no scenario trial-to-chrun: did you mean trial-to-churn?\n',
  })
  expect(nobody).toMatchObject({
    code: 1,
    err: expect.stringContaining(`must be one of ${ACQUIRING.join(', ')}`),
  })
})

/** Runs the command as a person does. */
function scenario(...args: string[]): Promise<Run> {
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
