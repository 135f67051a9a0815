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
/** All together far more than what a Worker may take; at full size as many as were tried from outside. */
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

/** Sends it, and leaves the connection open. Resolves when all of it has left. */
function sendHalf(form: Buffer): Promise<ClientRequest> {
  const sender = request(world.url + ticketPath(world.paywall.id), {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-length': 10 * MEGABYTE + 1_000 },
  })
  sender.on('error', () => undefined) // it is hung up in the end
  return new Promise((resolve) => sender.write(form, () => resolve(sender)))
}

test(`${SENDERS} images of 10 MB that are half sent take a small part of a Worker’s memory`, async () => {
  const form = halfForm()
  let senders: ClientRequest[] = []
  const peak = await peakMemory(world, 'paywall-support-ticket', async () => {
    senders = await Promise.all(Array.from({ length: SENDERS }, () => sendHalf(form)))
    await until(
      'all is read that was sent',
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
  await until('nothing is left of them', async () => (await attachmentKeys(world)).stored.length === 0)
}, 240_000)
