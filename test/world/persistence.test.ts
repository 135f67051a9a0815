import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openKeptKeys } from '../../dev/world/kept-keys.ts'
import { startMailInbox } from '../../dev/world/pages/mail-inbox.ts'
import { startReceiver } from '../../dev/world/pages/receiver.ts'
import { withWebhookSecrets } from '../../dev/world/webhook-secrets.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { userState } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'paywall-kept-'))
let world: TestWorld
beforeAll(async () => {
  world = await startTestWorld()
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true })
})

test('what the receiver got is there at the next start, except for a line that a crash has truncated', async () => {
  const options = { path: join(folder, 'events.jsonl'), secrets: () => [] }
  const first = await startReceiver(options)
  for (const body of ['one', 'two']) await fetch(`${first.url}/webhooks`, { method: 'POST', body })
  await first.close()
  appendFileSync(options.path, '{"id":"3","at":"2026-')

  const second = await startReceiver(options)
  await fetch(`${second.url}/webhooks`, { method: 'POST', body: 'three' })
  await second.close()
  const third = await startReceiver(options)
  expect(third.received.map(({ body }) => body)).toEqual(['one', 'two', 'three'])
  expect(third.received[0]?.at).toBeInstanceOf(Date)
  await third.close()
})

test('so are the mails', async () => {
  const path = join(folder, 'mails.jsonl')
  const mail = { from: { name: 'Us', email: 'us@example.com' }, to: 'ada@example.com', subject: 'Code', text: '123456' }
  const first = await startMailInbox({ path })
  await first.receive(mail)
  await first.close()
  const second = await startMailInbox({ path })
  expect(second.received).toEqual([expect.objectContaining(mail)])
  await second.close()
})

test('a key that the file leaves to the world is made once, and is the same at the next start', async () => {
  const file = await paywallFile({ keys: [{ name: 'backend' }] })
  const first = await openKeptKeys(folder, world.database)(file)
  await world.apply(first)
  const second = await openKeptKeys(folder, world.database)(file)
  expect(second.keys).toEqual(first.keys)
  expect(readFileSync(join(folder, 'keys.json'), 'utf8')).toContain(first.keys[0]!.secret)
  const by = { paywallId: file.paywalls[0]!.id, key: String(first.keys[0]!.secret) }
  await expect(userState(world, 'nobody', by)).rejects.toThrow(/404/)
})

test('a key that was made elsewhere stays as it is', async () => {
  const file = await paywallFile({ keys: [{ name: 'backend' }] })
  const { newSecrets } = await world.apply(file)
  expect(newSecrets).toHaveLength(1)
  const complete = await openKeptKeys(folder, world.database)(file)
  expect(complete.keys).toEqual(file.keys)
  expect((await world.apply(complete)).changes).toEqual([])
})

test('a webhook secret that was made for a file is known at every start', async () => {
  const url = `${world.receiver.url}/webhooks/made`
  const file = await paywallFile({ webhooks: [{ url }] })
  const { newSecrets } = await world.apply(file)
  const known = () => withWebhookSecrets(file, world.database, world.secrets.WEBHOOK_SECRETS_KEY)
  expect((await known()).webhooks).toMatchObject([
    { url, secret: newSecrets.find(({ what }) => what.includes(url))?.secret },
  ])
  const elsewhere = await withWebhookSecrets(file, world.database, Buffer.alloc(32).toString('base64url'))
  expect(elsewhere.webhooks).toMatchObject([{ url, secret: null }])
})
