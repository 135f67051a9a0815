import { afterEach, expect, test } from 'vitest'
import { type ConsoleVisitor, signInToConsole } from '../support/console.ts'
import { type Mailbox, openWebhookEndpoint, runDeliveryCron } from '../support/mailbox.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ writesUndocumentedEvents: true })
const reason = 'A test'

/** An owner with a webhook endpoint, at its console. */
async function open(): Promise<{ mailbox: Mailbox; visitor: ConsoleVisitor }> {
  const mailbox = await openWebhookEndpoint(world)
  return { mailbox, visitor: await signInToConsole(world, mailbox.file.owner.email) }
}

afterEach(() => {
  world.receiver.answer = () => ({})
})

const ids = (html: string) => [...html.matchAll(/href="\/test\/events\/(evt_[0-9a-f]+)"/g)].map(([, id]) => id)

const isDelivered = async (mailbox: Mailbox) => (await mailbox.deliveries()).every(({ state }) => state === 'delivered')

/** Runs the cron until every event is delivered. */
const untilDelivered = (mailbox: Mailbox) =>
  until('every event is delivered', async () => {
    await runDeliveryCron(world)
    return isDelivered(mailbox)
  })

test('an event that was delivered is sent again, with the same id and body', async () => {
  const { mailbox, visitor } = await open()
  mailbox.answer = () => ({ status: 200, body: 'Thank you & goodbye' })
  const [event] = await mailbox.addEvents()
  await untilDelivered(mailbox)
  const page = await visitor.get(`/test/events/${event}`)
  expect(page.text).toMatch(/delivered 1 200/)
  expect(page.text).toContain('"sequence": 1')
  expect(await visitor.post('/test/events/replay', { event: event!, reason })).toMatchObject({
    status: 303,
    location: `/test/events/${event}`,
  })
  await until('it has arrived again', async () => mailbox.ids().length === 2)
  const [first, again] = mailbox.received()
  await until('both attempts are shown', async () => {
    const { text } = await visitor.get(`/test/events/${event}`)
    return text.match(/200 \d+ Thank you & goodbye/g)?.length === 2
  })
  expect([again!.headers['webhook-id'], again!.body, again!.verified]).toEqual([event, first!.body, true])
})

test('all that failed in a time are sent again, in their order, and nothing else', async () => {
  const { mailbox, visitor } = await open()
  await mailbox.addEvents(5)
  await world.database.query(
    `update deliveries d set state = case when sequence in (1, 3, 4) then 'failed' else 'delivered' end, next_attempt_at = null, attempts = 10,
       finished_at = now() from webhook_endpoints w where w.id = d.endpoint_id and w.url = $1`,
    [mailbox.url],
  )
  const failed = await visitor.get('/test/events?state=failed')
  expect(ids(failed.html)).toHaveLength(3)
  expect(await visitor.post('/test/events/replay', { since: '2026-01-01T00:00', failed: 'yes', reason })).toMatchObject(
    {
      status: 303,
    },
  )
  await until('all are delivered', () => isDelivered(mailbox))
  expect(mailbox.received().map(({ body }) => JSON.parse(body).sequence)).toEqual([1, 3, 4])
  expect(ids((await visitor.get('/test/events?state=failed')).html)).toEqual([])
})

test('a replayed event is sent before later ones about its user that are still pending', async () => {
  const { mailbox, visitor } = await open()
  const [first] = await mailbox.addEvents(1)
  await world.database.query("update deliveries set state = 'failed', next_attempt_at = null where event_id = $1", [
    first,
  ])
  const later = await mailbox.addEvents(2)
  await world.database.query("update deliveries set next_attempt_at = now() + interval '1 hour' where event_id = $1", [
    later[0],
  ])
  await visitor.post('/test/events/replay', { event: first!, reason })
  await untilDelivered(mailbox)
  expect(mailbox.ids()).toEqual([first, ...later])
})

test('replays, new events and failing attempts of one user at once keep its order, and lose nothing', async () => {
  const { mailbox, visitor } = await open()
  const known = await mailbox.addEvents(20)
  await untilDelivered(mailbox)
  let calls = 0
  mailbox.answer = () => ({ status: calls++ % 7 === 0 ? 500 : 200 })
  const replays = Array.from({ length: 5 }, () =>
    visitor.post('/test/events/replay', { since: '2026-01-01T00:00', reason }),
  )
  const credits = Array.from({ length: 5 }, () => mailbox.credit())
  for (const { status } of await Promise.all(replays)) expect(status).toBe(303)
  await Promise.all(credits)
  await until('all are delivered', async () => {
    await mailbox.endLeases()
    await world.database.query(
      "update deliveries set next_attempt_at = now() where state = 'pending' and next_attempt_at > now()",
    )
    await runDeliveryCron(world)
    return isDelivered(mailbox)
  })
  expect((await mailbox.deliveries()).length).toBeGreaterThanOrEqual(25)
  for (const id of known) expect(mailbox.ids().filter((each) => each === id).length).toBeGreaterThanOrEqual(2)
})

test('the list is filtered, and goes on to older events', async () => {
  const { mailbox, visitor } = await open()
  const added = await mailbox.addEvents(120)
  const seen: (string | undefined)[] = []
  let path: string | undefined = '/test/events?type=ticket.created'
  for (let pages = 0; path; pages++) {
    expect(pages).toBeLessThan(4)
    const { html } = await visitor.get(path)
    seen.push(...ids(html))
    path = /href="\?([^"]*)">Older/.exec(html)?.[1]?.replaceAll('&amp;', '&')
    path &&= `/test/events?${path}`
  }
  expect(new Set(seen)).toEqual(new Set(added))
  expect(seen).toHaveLength(120)
  expect((await visitor.get('/test/events?type=payment.failed')).text).toContain('No events match.')
  const { paywalls } = mailbox.file
  expect(ids((await visitor.get(`/test/events?paywall=${paywalls[0]!.id}`)).html)).toHaveLength(50)
  expect(ids((await visitor.get('/test/events?paywall=1')).html)).toEqual([])
})

test('a thousand events are replayed at once, and the page continues where they ended', async () => {
  const { mailbox, visitor } = await open()
  await mailbox.addEvents(1001)
  await world.database.query('update webhook_endpoints set disabled_at = now() where url = $1', [mailbox.url])
  const { location } = await visitor.post('/test/events/replay', { since: '2026-01-01T00:00', reason })
  const since = new URL(location!, world.consoleUrl).searchParams.get('since')!
  const { text, html } = await visitor.get(location!)
  expect(text).toContain('A thousand events are sent again.')
  expect(html).toContain(`value="${since.replace('Z', '')}"`)
  expect(await visitor.post('/test/events/replay', { since: since.replace('Z', ''), reason })).toMatchObject({
    location: '/test/events?state=pending',
  })
})

test('a disabled endpoint gets nothing until it is enabled', async () => {
  const { mailbox, visitor } = await open()
  const { html } = await visitor.get('/test/webhooks')
  const endpoint = /name="endpoint" value="([^"]*)"/.exec(html)![1]!
  await mailbox.addEvents(2)
  await visitor.post('/test/webhooks', { endpoint, enabled: 'no', reason })
  await runDeliveryCron(world)
  expect(mailbox.ids()).toEqual([])
  expect((await visitor.get('/test/webhooks')).text).toMatch(
    /disabled .* Disabled since .*\. Pending events wait\. Those that happen/,
  )
  await visitor.post('/test/webhooks', { endpoint, enabled: 'yes', reason })
  await until('both have arrived', async () => {
    await runDeliveryCron(world)
    return mailbox.ids().length === 2
  })
  expect((await visitor.get('/test/webhooks')).text).toContain('healthy')
})
