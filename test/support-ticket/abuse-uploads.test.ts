import { type ClientRequest, request } from 'node:http'
import { expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { FULL_SIZE } from '../support/full-size.ts'
import { peakMemory } from '../support/peak-memory.ts'
import { attachmentKeys, MESSAGE, randomImage, ticketPath } from '../support/tickets.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ inspect: true, file: { webhooks: [] } })

const MEGABYTE = 1024 * 1024
/** Together far more than the memory of a Worker; at full size, as many as in a test from outside. */
const SENDERS = FULL_SIZE ? 30 : 10

/** The beginning of a form with an image of 10 MB, of which half a megabyte is missing. */
function halfForm(): Buffer {
  const fields = Object.entries({ ...MESSAGE, customer_email: newEmail() })
  const texts = fields.map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const head =
    '--b\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
  return Buffer.concat([Buffer.from(texts.join('') + head), randomImage('image/png', 9.5 * MEGABYTE).bytes])
}

/** Sends the beginning, and leaves the connection open. Resolves when all of it was sent. */
function sendHalf(form: Buffer): Promise<ClientRequest> {
  const sender = request(world.url + ticketPath(world.paywall.id), {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-length': 10 * MEGABYTE + 1_000 },
  })
  sender.on('error', () => undefined) // the test destroys it in the end
  return new Promise((resolve) => sender.write(form, () => resolve(sender)))
}

test(`${SENDERS} unfinished uploads of 10 MB take less than 64 MB of a Worker’s memory`, async () => {
  const form = halfForm()
  let senders: ClientRequest[] = []
  const peak = await peakMemory(world, 'paywall-support-ticket', async () => {
    senders = await Promise.all(Array.from({ length: SENDERS }, () => sendHalf(form)))
    await until(
      'everything that was sent is read',
      async () => {
        const bucket = await world.workers.bucket('support-ticket', 'ATTACHMENTS')
        const { objects } = await bucket.list({ limit: 1000 })
        return objects.length >= SENDERS * 18
      },
      90_000,
    )
  })
  for (const sender of senders) sender.destroy()
  expect(peak / MEGABYTE).toBeLessThan(64)
  await until('their images are deleted', async () => (await attachmentKeys(world)).stored.length === 0)
}, 240_000)
