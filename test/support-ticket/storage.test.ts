import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { call, type Reply } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { peakMemory } from '../support/peak-memory.ts'
import { countStatements } from '../support/statements.ts'
import {
  attachmentKeys,
  MESSAGE,
  randomImage,
  sendForm,
  ticketForm,
  ticketPath,
  type Upload,
} from '../support/tickets.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const MEGABYTE = 1024 * 1024

const storage = mkdtempSync(join(tmpdir(), 'paywall-storage-'))
/** Where the bucket's objects are stored. */
const blobs = join(storage, 'v3', 'r2', 'paywall-attachments', 'blobs')

// Hooks run in reverse order: the world is closed first.
afterAll(() => rmSync(storage, { recursive: true }))
const world = useTestWorld({ inspect: true, storage, file: { webhooks: [] } })

const files = (uploads: Upload[], others: Record<string, string> = {}) =>
  sendForm(world, ticketForm({ ...MESSAGE, customer_email: newEmail(), ...others }, uploads))

/** Images of refused tickets are deleted after the response. */
const untilNoStrayImages = () =>
  until('every stored image belongs to a ticket', async () => {
    const { stored, known } = await attachmentKeys(world)
    return stored.join() === known.join()
  })

async function measure(send: () => Promise<Reply>) {
  let status = 0
  const statements = await countStatements(world, async () => {
    status = (await send()).status
  })
  return { status, statements }
}

test('a request makes one statement; images add a check of the quota', async () => {
  const { token } = await signIn(world)
  const json = (body: object, options = {}) => call(world, ticketPath(world.paywall.id), { body, ...options })
  expect(await measure(() => json(MESSAGE, { token }))).toEqual({ status: 200, statements: 1 })
  expect(await measure(() => files([]))).toEqual({ status: 200, statements: 1 })
  expect(await measure(() => files([randomImage(), randomImage()]))).toEqual({ status: 200, statements: 2 })
  expect(await measure(() => json(MESSAGE))).toEqual({ status: 400, statements: 0 })
  expect(await measure(() => json(MESSAGE, { token: 'x' }))).toEqual({ status: 401, statements: 0 })
  expect(await measure(() => files([{ ...randomImage(), type: 'image/gif' }]))).toEqual({
    status: 400,
    statements: 0,
  })
})

test('images of a refused ticket are deleted', async () => {
  expect(await files([randomImage(), randomImage()], { subject: 'a' })).toMatchObject({ status: 400 })
  expect(await files([randomImage(), { ...randomImage(), type: 'image/gif' }])).toMatchObject({ status: 400 })
  expect(await files(Array(6).fill(randomImage()))).toMatchObject({ status: 400 })
  await untilNoStrayImages()
})

test('nothing is stored for a sender without quota or for an unknown paywall', async () => {
  const { token, email } = await signIn(world)
  const form = () => ticketForm({ ...MESSAGE, customer_email: email }, [randomImage()])
  for (const options of [{ token }, {}, { token }, {}]) {
    expect(await sendForm(world, form(), options)).toMatchObject({ status: 200 })
  }
  const { stored } = await attachmentKeys(world)
  for (const options of [{ token }, {}]) {
    const refused = await measure(() => sendForm(world, form(), options))
    expect(refused).toEqual({ status: 429, statements: 1 })
    expect((await attachmentKeys(world)).stored).toEqual(stored)
  }
  expect(await sendForm(world, form(), { paywallId: '99' })).toMatchObject({ status: 404 })
  expect((await attachmentKeys(world)).stored).toEqual(stored)
})

test('if the outcome is unknown, the images are kept, and Retry-After is missing, since a retry may open another ticket', async () => {
  const customer_email = newEmail()
  const before = await attachmentKeys(world)
  world.neon.onStatement = async ({ query }, run) => {
    const result = await run()
    if (query.includes('open_ticket')) throw new ResponseLost()
    return result
  }
  const reply = await files([randomImage()], { customer_email })
  world.neon.onStatement = undefined
  const message = 'It is unknown whether the ticket was opened: a retry may open a second one'
  expect(reply).toMatchObject({ status: 503, body: { error: 'database_unavailable', message } })
  expect(reply.headers).not.toHaveProperty('retry-after')
  const after = await attachmentKeys(world)
  expect(after.known).toHaveLength(before.known.length + 1)
  expect(after.stored).toEqual(after.known)
  expect(await files([], { customer_email })).toMatchObject({ status: 200 })
  expect(await files([], { customer_email })).toMatchObject({ status: 429 })
})

test('503 storage_unavailable with Retry-After when R2 does not respond, and no ticket', async () => {
  const tickets = async () => (await world.database.query('select id from tickets')).rows
  expect(await files([randomImage()])).toMatchObject({ status: 200 })
  const before = [await tickets(), await attachmentKeys(world)]
  renameSync(blobs, `${blobs}-away`)
  writeFileSync(blobs, 'no folder')
  const reply = await files([randomImage(), randomImage()])
  rmSync(blobs)
  renameSync(`${blobs}-away`, blobs)
  expect(reply).toMatchObject({ status: 503, body: { error: 'storage_unavailable' }, headers: { 'retry-after': '2' } })
  expect([await tickets(), await attachmentKeys(world)]).toEqual(before)
  expect(await files([randomImage()])).toMatchObject({ status: 200 })
})

test('a sender can read why a large form is refused', async () => {
  const form = ticketForm({ subject: 'a' }, Array(5).fill(randomImage('image/png', 10 * MEGABYTE)))
  for (const _turn of [1, 2, 3]) expect(await sendForm(world, form, { token: 'x' })).toMatchObject({ status: 401 })
})

test('a form of more than 51 MB is refused while it is read, with or without Content-Length', async () => {
  const chunk = Buffer.concat([
    Buffer.from('--b\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\n\r\n'),
    Buffer.alloc(9 * MEGABYTE),
    Buffer.from('\r\n'),
  ])
  const chunks = Array<Buffer<ArrayBuffer>>(6).fill(chunk)
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  const tooLarge = { status: 413, body: { error: 'payload_too_large' } }
  expect(await sendForm(world, Buffer.concat(chunks), { headers })).toMatchObject(tooLarge)
  expect(await sendForm(world, ReadableStream.from(chunks), { headers })).toMatchObject(tooLarge)
})

test('five images of 10 MB take less than 40 MB of a Worker’s memory', async () => {
  const five = Array.from({ length: 5 }, () => randomImage('image/jpeg', 10 * MEGABYTE))
  const peak = await peakMemory(world, 'paywall-support-ticket', async () => {
    expect(await files(five)).toMatchObject({ status: 200 })
  })
  expect(peak / MEGABYTE).toBeGreaterThan(1) // the measurement works
  expect(peak / MEGABYTE).toBeLessThan(40)
})
