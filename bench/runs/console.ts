// npm run bench -- console: the database's time for each page of the console.
// 1. Fill an owner with users, ten events for each, tickets and acts, and three years of figures.
// 2. Read each page about many users and events, and add up what the database works for it.
// 3. Print the median and the longest time, and mark pages that are over the limit.
import type { PrintLine } from '../../cli/command.ts'
import { openContenders } from '../contenders/contenders.ts'
import type { World } from '../contenders/world.ts'
import { fillDeliveredEvents, fillTicketsAndActs } from '../fill/delivered-events.ts'
import { fillFigures } from '../fill/figures.ts'
import { Filler } from '../fill/insert.ts'
import { fillUsers } from '../fill/users.ts'
import { type ConsolePage, consolePages, signIn, type Visitor } from '../load/console-pages.ts'
import { setScene } from '../load/scene.ts'
import { filterByName, type Options } from '../options.ts'
import { formatNumber, table } from '../report/table.ts'
import { spread } from '../statistics.ts'

const EVENTS_PER_USER = 10
const TICKETS_PART = 10

/** How often each page is read. The first reads fill the database's caches and plans. */
const READS = 30
const WARM_UP = 6

/** The limit of a page's database time, in milliseconds. */
const LIMIT_MS = 100

const OWNER = 'owner@bench.example'
const WEBHOOK_URL = 'http://127.0.0.1:9/webhooks'

export async function benchConsole(options: Options, printLine: PrintLine) {
  await using contenders = await openContenders({ against: undefined })
  const [world] = contenders.worlds as [World]
  const { paywallId, priceId } = await setScene(world, { webhooks: [{ url: WEBHOOK_URL, events: ['payment.failed'] }] })
  const { size } = options
  await using filler = await Filler.open(world.databaseUrl)
  process.stderr.write(`filling ${size} users and ${EVENTS_PER_USER * size} events\n`)
  await fillUsers(filler, { from: 1, to: size }, { paywallId, priceId })
  const events = { from: 1, to: EVENTS_PER_USER * size }
  await fillDeliveredEvents(filler, events, { paywallId, webhookUrl: WEBHOOK_URL, users: size })
  await fillTicketsAndActs(filler, { from: 1, to: Math.ceil(size / TICKETS_PART) }, paywallId)
  await fillFigures(filler, paywallId)
  await filler.vacuum()

  const visitor = await signIn(filler, world.url, OWNER)
  const pages = filterByName(consolePages(await readSample(filler)), options.only)
  const measured: Record<string, number[]> = {}
  for (const page of pages) measured[page.name] = await measurePage(world, visitor, page)
  printLine(pageTable(measured, size))
  return { commits: contenders.commits, result: { size, pages: measured } }
}

/** Ids from all over the tables. */
async function readSample(filler: Filler) {
  const ids = async <Id>(query: string) => (await filler.run(query)).map(({ id }) => id as Id)
  return {
    users: await ids<string>(`select id from users order by md5(id::text) limit ${READS}`),
    events: await ids<string>(`select id from events order by md5(id::text) limit ${READS}`),
    tickets: await ids<number>(`select id::int from tickets order by md5(id::text) limit ${READS}`),
  }
}

/** The milliseconds of the database for each read of a page. */
async function measurePage({ commands }: World, visitor: Visitor, { name, path }: ConsolePage): Promise<number[]> {
  const times: number[] = []
  for (let n = 1; n <= READS; n++) {
    const before = await commands.databaseWork()
    const status = await visitor.get(path(n))
    if (status !== 200) throw new Error(`the page ${name} at ${path(n)} responded with ${status}`)
    const after = await commands.databaseWork()
    if (n > WARM_UP) times.push(after.milliseconds - before.milliseconds)
  }
  return times
}

function pageTable(measured: Record<string, number[]>, size: number): string {
  const head = [`console, ${formatNumber(size)} users: the database's ms`, 'median', 'longest', '']
  const rows = Object.entries(measured).map(([name, times]) => {
    const { median, max } = spread(times)
    return [name, formatNumber(median), formatNumber(max), median > LIMIT_MS ? 'too slow' : '']
  })
  return table(head, rows)
}
