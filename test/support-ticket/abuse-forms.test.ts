import { expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { refusal } from '../support/refusal.ts'
import { MESSAGE, ticketPath } from '../support/tickets.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ file: { webhooks: [] } })

const BOUNDARY = 'b'.repeat(70)
const FILES = 5
const FILE_SIZE = 10 * 1024 * 1024

/** A form of five files of 10 MB that repeat a text. No file is an image, but a form is read to its end. */
function getForm(content: string): Buffer {
  const file = Buffer.alloc(FILE_SIZE, content, 'latin1')
  const part = (headers: string, body: string | Buffer) => [
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${headers}\r\n\r\n`),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ]
  return Buffer.concat([
    ...Object.entries({ ...MESSAGE, customer_email: newEmail() }).flatMap(([name, text]) =>
      part(`name="${name}"`, text),
    ),
    ...Array.from({ length: FILES }, () => part('name="files"; filename="a.png"', file)).flat(),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ])
}

/** How long it takes to refuse the form, in milliseconds: the shortest of five times. */
async function refusalTime(content: string): Promise<number> {
  const body = getForm(content)
  const times: number[] = []
  for (let time = 0; time < 5; time++) {
    const startedAt = performance.now()
    const response = await world.fetch(ticketPath(world.paywall.id), {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body,
    })
    expect([response.status, await response.json()]).toEqual([400, refusal('invalid_file')])
    times.push(performance.now() - startedAt)
  }
  return Math.min(...times)
}

test('a form of 50 MB that repeats the beginning of a boundary takes about as long as other forms of 50 MB', async () => {
  const other = await refusalTime('a')
  const hostile = ['\r', '\ra', '\r\n', '\r\n-', `\r\n--${BOUNDARY.slice(1)}`, `\r${'a'.repeat(40)}`]
  for (const content of hostile) {
    expect(await refusalTime(content), JSON.stringify(content)).toBeLessThan(3 * other + 500)
  }
}, 240_000)

test('a part ends at its boundary, whatever bytes precede it', async () => {
  const endings = [`\r\r\n--${BOUNDARY}`, `\r\n\r\n--${BOUNDARY}`, `\r\n-\r\n--${BOUNDARY}`]
  for (const end of endings) {
    const fields = { ...MESSAGE, customer_email: newEmail() }
    const parts = Object.entries(fields).map(
      ([name, text]) => `\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}${end}`,
    )
    const reply = await call(world, ticketPath(world.paywall.id), {
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: `--${BOUNDARY}${parts.join('')}--\r\n`,
    })
    const text = JSON.stringify(reply.body)
    expect([reply.status, text], JSON.stringify(end)).toEqual(
      end === endings[2] ? [400, expect.stringContaining('email_required')] : [200, expect.stringContaining('ticket')],
    )
  }
})
