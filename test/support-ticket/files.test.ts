import { describe, expect, test } from 'vitest'
import type { Reply } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { testRows } from '../support/rows.ts'
import { MESSAGE, randomImage, sendForm, ticketForm, ticketId, type Upload } from '../support/tickets.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const MEGABYTE = 1024 * 1024
const fields = (others: Record<string, string> = {}) => ({ ...MESSAGE, customer_email: newEmail(), ...others })

/** A guest's form with these files. */
const files = (uploads: Upload[], others: Record<string, string> = {}) =>
  sendForm(world, ticketForm(fields(others), uploads))

/** A body sent as a form. */
function raw(body: string, type = 'multipart/form-data; boundary=b'): Promise<Reply> {
  return sendForm(world, Buffer.from(body, 'latin1'), { headers: { 'content-type': type } })
}

const part = (head: string, content: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`
const field = (name: string, value: string) => part(`name="${name}"`, value)
const textFields = () =>
  Object.entries(fields())
    .map(([name, value]) => field(name, value))
    .join('')

describe('an image', () => {
  test.each(['image/jpeg', 'image/png', 'image/webp'] as const)('of type %s is stored unchanged', async (type) => {
    const upload = randomImage(type, 70_000)
    const reply = await files([{ ...upload, name: 'bild "ä"\u0007.png' }])
    const { rows } = await world.database.query<{ object_key: string }>(
      'select * from ticket_attachments where ticket_id = $1',
      [ticketId(reply)],
    )
    expect(rows).toMatchObject([
      {
        media_type: type,
        size: 70_000,
        file_name: expect.stringMatching(/^bild .*ä.*\.png$/),
        // Nothing in the key comes from the sender.
        object_key: expect.stringMatching(
          new RegExp(`^${world.paywall.id}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`),
        ),
      },
    ])
    const bucket = await world.workers.bucket('support-ticket', 'ATTACHMENTS')
    const object = await bucket.get(rows[0]!.object_key)
    expect(Buffer.from(await object!.arrayBuffer()).equals(upload.bytes)).toBe(true)
    expect(object).toMatchObject({ httpMetadata: { contentType: type } })
  })

  const png = randomImage('image/png')
  const bytes = (text: string) => Buffer.from(text)
  testRows([
    ['png declared as jpeg', () => files([{ ...png, name: 'a.jpg', type: 'image/jpeg' }]), 400, 'invalid_file'],
    ['jpeg declared as webp', () => files([{ ...randomImage('image/jpeg'), type: 'image/webp' }]), 400, 'invalid_file'],
    ['png without a type', () => files([{ ...png, type: '' }]), 400, 'invalid_file'],
    ['png declared as octet-stream', () => files([{ ...png, type: 'application/octet-stream' }]), 400, 'invalid_file'],
    [
      'jpeg declared as image/jpg',
      () => files([{ ...randomImage('image/jpeg'), type: 'image/jpg' }]),
      400,
      'invalid_file',
    ],
    ['svg', () => files([{ type: 'image/svg+xml', bytes: bytes('<svg/>') }]), 400, 'invalid_file'],
    ['svg declared as png', () => files([{ type: 'image/png', bytes: bytes('<svg/>') }]), 400, 'invalid_file'],
    ['gif', () => files([{ type: 'image/gif', bytes: bytes('GIF89a') }]), 400, 'invalid_file'],
    ['gif declared as png', () => files([{ type: 'image/png', bytes: bytes('GIF89a') }]), 400, 'invalid_file'],
    ['RIFF that is not webp', () => files([{ type: 'image/webp', bytes: bytes('RIFF1234WAVE') }]), 400, 'invalid_file'],
    ['half a signature', () => files([{ type: 'image/png', bytes: png.bytes.subarray(0, 7) }]), 400, 'invalid_file'],
    ['empty', () => files([{ type: 'image/png', bytes: bytes('') }]), 400, 'invalid_file'],
    ['10 MB', () => files([randomImage('image/png', 10 * MEGABYTE)]), 200, {}],
    ['10 MB and a byte', () => files([randomImage('image/png', 10 * MEGABYTE + 1)]), 400, 'invalid_file'],
    ['an invalid image after a valid one', () => files([png, { ...png, type: 'text/plain' }]), 400, 'invalid_file'],
    ['5 images', () => files(Array(5).fill(png)), 200, {}],
    ['6 images', () => files(Array(6).fill(png)), 400, 'too_many_files'],
    ['200 images', () => files(Array(200).fill(png)), 400, 'too_many_files'],
    ['in another field', () => sendForm(world, ticketForm(fields(), [png], 'file')), 400, 'invalid_file'],
    ['that is a text field', () => files([], { files: 'a.png' }), 400, 'invalid_file'],
  ])
})

describe('a form', () => {
  const emptyFile = 'filename=""\r\nContent-Type: application/octet-stream'
  const sixInvalidFiles = () => Array<Upload>(6).fill({ type: 'text/plain', bytes: Buffer.from('x') })
  testRows([
    ['without files', () => files([]), 200, { ticket: { status: 'open' } }],
    ['with an empty file input', () => raw(`${textFields()}${part(`name="files"; ${emptyFile}`, '')}--b--`), 200, {}],
    ['with a quoted boundary', () => raw(`${textFields()}--b--\r\n`, 'Multipart/Form-Data; boundary="b" '), 200, {}],
    ['with a field twice: the first counts', () => raw(`${textFields()}${field('subject', 'a')}--b--`), 200, {}],
    [
      'reports errors in the contract’s order: missing texts',
      () => sendForm(world, ticketForm({ subject: 'a' }, sixInvalidFiles())),
      400,
      'invalid_payload',
    ],
    ['then their lengths', () => files(sixInvalidFiles(), { content: '' }), 400, 'content_length'],
    ['then the address', () => files(sixInvalidFiles(), { customer_email: '' }), 400, 'email_required'],
    ['then the number of files', () => files(sixInvalidFiles()), 400, 'too_many_files'],
    ['then the files', () => files(sixInvalidFiles().slice(1)), 400, 'invalid_file'],
    ['without content', () => raw(`${field('subject', 'abc')}--b--`), 400, 'invalid_payload'],
    ['with a NUL', () => files([], { subject: 'a\0bc' }), 400, 'invalid_payload'],
    ['that is not UTF-8', () => raw(`${textFields()}${field('more', '\xff')}--b--`), 400, 'invalid_payload'],
    ['with more text than a body may have', () => files([], { more: 'x'.repeat(65_536) }), 413, 'payload_too_large'],
    ['that does not end', () => raw(textFields()), 400, 'invalid_payload'],
    ['that ends in a header', () => raw(`${textFields()}--b\r\nContent-Dis`), 400, 'invalid_payload'],
    ['without boundary', () => raw(textFields(), 'multipart/form-data'), 400, 'invalid_payload'],
    [
      'with another boundary',
      () => raw(`${textFields()}--b--`, 'multipart/form-data; boundary=c'),
      400,
      'invalid_payload',
    ],
    [
      'with a boundary of 71 characters',
      () => raw('', `multipart/form-data; boundary=${'b'.repeat(71)}`),
      400,
      'invalid_payload',
    ],
    ['that is empty', () => raw(''), 400, 'invalid_payload'],
    [
      'of another multipart type is read as JSON',
      () => raw(`${textFields()}--b--`, 'multipart/mixed; boundary=b'),
      400,
      'invalid_json',
    ],
  ])

  test('may be split into chunks anywhere', async () => {
    const ends = [-4, -3, -2, -1, 0, 1, 2, 3, 4]
    const replies = await Promise.all(
      ends.map((end) => {
        const rest = `${textFields()}${field('more', '')}--b--\r\n`
        return raw(`${textFields()}${field('more', 'x'.repeat(65_536 - rest.length + end))}--b--\r\n`)
      }),
    )
    expect(replies.map(({ status, body }) => ({ status, body }))).toMatchObject(ends.map(() => ({ status: 200 })))
  })

  test('may have its files before its fields', async () => {
    const form = ticketForm({}, [randomImage(), randomImage()])
    for (const [name, value] of Object.entries(fields())) form.append(name, value)
    expect(await sendForm(world, form)).toMatchObject({ status: 200 })
  })
})
