import { expect, test } from 'vitest'
import { type Mailbox, openWebhookEndpoint, runDeliveryCron } from '../support/mailbox.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

/** A third of the timeout of an attempt. */
const SOON_MILLISECONDS = 5_000

const world = useTestWorld({ writesUndocumentedEvents: true })

/** Mailboxes that receive webhooks, and respond when a test makes them. */
async function openHanging(count: number): Promise<{ hanging: Mailbox[]; answerAll: () => void }> {
  const hanging = await Promise.all(Array.from({ length: count }, () => openWebhookEndpoint(world)))
  const answers = Promise.withResolvers<void>()
  for (const mailbox of hanging) mailbox.answer = () => answers.promise.then(() => ({}))
  return { hanging, answerAll: answers.resolve }
}

const allDelivered = async (mailbox: Mailbox) =>
  (await mailbox.deliveries()).every(({ state }) => state === 'delivered')

/** Expects each of several new events to reach the mailbox without the cron. */
async function expectPrompt(mailbox: Mailbox): Promise<void> {
  for (let time = 0; time < 5; time += 1) {
    await mailbox.credit()
    await until('the event has arrived', () => allDelivered(mailbox), SOON_MILLISECONDS)
  }
}

// Runs first: repeated queue messages of other tests would start sweeps with slots of their own.
test('failing webhook endpoints get few of the slots of a sweep, and the others get the rest', async () => {
  const { hanging, answerAll } = await openHanging(6)
  const good = await openWebhookEndpoint(world)
  const urls = hanging.map(({ url }) => url)
  await world.database.query('update webhook_endpoints set failures = 1 where url = any ($1)', [urls])
  await Promise.all(hanging.map((mailbox) => mailbox.addEvents()))

  const sweeping = runDeliveryCron(world)
  await until('attempts hang', async () => hanging.filter((mailbox) => mailbox.ids().length > 0).length === 2)
  await good.addEvents(10)
  await until('the good webhook endpoint has all events', () => allDelivered(good), SOON_MILLISECONDS)
  expect(hanging.filter((mailbox) => mailbox.ids().length > 0)).toHaveLength(2)

  answerAll()
  await sweeping
  for (const mailbox of hanging) expect(await allDelivered(mailbox)).toBe(true)
})

test.each([1, 7])('while %i webhook endpoints hang, the queue still delivers to the others at once', async (count) => {
  const { hanging, answerAll } = await openHanging(count)
  const good = await openWebhookEndpoint(world)
  await Promise.all(hanging.flatMap((mailbox) => [mailbox.credit(), mailbox.newMember().then(mailbox.credit)]))
  await until('each of them has an attempt', async () => hanging.every((mailbox) => mailbox.ids().length > 0))
  const attempts = hanging.map((mailbox) => mailbox.ids().length)

  await expectPrompt(good)

  answerAll()
  await Promise.all(hanging.map((mailbox) => until('all is delivered', () => allDelivered(mailbox))))
  expect(attempts.every((number) => number <= 3)).toBe(true)
})

test('events behind hanging attempts are sent when these are answered, without the cron', async () => {
  const { hanging, answerAll } = await openHanging(5)
  const good = await openWebhookEndpoint(world)
  for (const mailbox of hanging.slice(1)) {
    for (let member = 0; member < 3; member += 1) await mailbox.addEvents(1, await mailbox.newMember())
  }
  await hanging[0]!.credit()
  await until('every slot is taken', async () => hanging.every((mailbox) => mailbox.ids().length > 0))
  await expectPrompt(good)

  answerAll()
  await Promise.all(hanging.map((mailbox) => until('all is delivered', () => allDelivered(mailbox))))
})
