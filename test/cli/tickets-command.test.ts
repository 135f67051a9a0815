import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { signIn } from '../support/exchange.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { attachmentKeys, MESSAGE, randomImage, sendForm, ticketForm, ticketPath } from '../support/tickets.ts'
import { useTestWorld } from '../support/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'paywall-tickets-'))
const storage = join(folder, 'storage')

// Hooks run in reverse order: the world is closed first.
afterAll(() => rmSync(folder, { recursive: true }))
const world = useTestWorld({ storage })

/** The command as a person runs it, in a process of its own. */
function tickets(...args: string[]) {
  return new Promise<{ code: number | string | null; out: string; err: string }>((resolve) => {
    const env = { PATH: process.env.PATH, DATABASE_URL: world.databaseUrl, ATTACHMENTS_FOLDER: storage }
    execFile(process.execPath, ['cli/main.ts', 'tickets', ...args], { env }, (error, out, err) => {
      resolve({ code: error?.code ?? 0, out, err })
    })
  })
}

const send = (body: object, token?: string) =>
  call(world, ticketPath(world.paywall.id), { body, ...(token !== undefined && { token }) })

describe('paywall tickets', () => {
  test('prints `No tickets.` if there are none', async () => {
    expect(await tickets('list')).toEqual({ code: 0, out: 'No tickets.\n', err: '' })
  })

  test('prints the sender and the text of each ticket, and the keys of its images', async () => {
    const user = await signIn(world)
    const { token } = await signInAnonymously(world)
    await send({ subject: 'From a guest', content: 'One line\nand another', customer_email: 'guest@example.com' })
    await send({ ...MESSAGE, subject: 'From nobody' }, token)
    await sendForm(world, ticketForm({ ...MESSAGE, subject: 'From a user' }, [randomImage('image/png', 999)]), user)
    const [key] = (await attachmentKeys(world)).known

    const { out, err, code } = await tickets('list', '--paywall', world.paywall.id)
    expect({ err, code }).toEqual({ err: '', code: 0 })
    expect(out).toMatch(
      /#1 {2}open {2}\S+Z {2}paywall \d+ {2}guest@example\.com \(guest\)\nFrom a guest\n {2}One line\n {2}and/,
    )
    expect(out).toMatch(/#2 .* anonymous \(user [-0-9a-f]{36}\)\nFrom nobody\n/)
    expect(out).toContain(`${user.email} (user ${user.id})\nFrom a user\n`)
    expect(out).toContain(`  [screen.png, image/png, 999 bytes] ${key}\n`)
    expect((await tickets('list')).out).toBe(out)
    expect((await tickets('list', '--paywall', '99')).out).toBe('No tickets.\n')
  })

  test('replaces terminal control characters in tickets', async () => {
    const customer_email = 'stranger@example.com'
    await send({ subject: 'red \u001b[31m', content: 'a\u009b2J\r\nb\u202e', customer_email })
    const { out } = await tickets('list')
    expect(out).toContain('red \ufffd[31m\n  a\ufffd2J\n  b\ufffd\n')
  })

  test('writes an image to a file while the world runs', async () => {
    const upload = randomImage('image/webp', 300_000)
    const before = new Set((await attachmentKeys(world)).known)
    await sendForm(world, ticketForm({ ...MESSAGE, customer_email: 'image@example.com' }, [upload]))
    const key = (await attachmentKeys(world)).known.find((each) => !before.has(each)) ?? ''
    const path = join(folder, 'image.webp')
    expect(await tickets('attachment', key, path)).toEqual({ code: 0, out: `Wrote 300000 bytes to ${path}\n`, err: '' })
    expect(readFileSync(path).equals(upload.bytes)).toBe(true)
  })
})

describe('paywall tickets prints one line', () => {
  const path = join(folder, 'nothing.png')

  test('if no ticket has the attachment', async () => {
    const err = 'paywall: no ticket has an attachment 1/x\n'
    expect(await tickets('attachment', '1/x', path)).toEqual({ code: 1, out: '', err })
  })

  test('if an image of a ticket is missing from the bucket', async () => {
    const key = `${world.paywall.id}/00000000-0000-4000-8000-000000000000`
    await world.database.query(
      "insert into ticket_attachments select $1, max(id), 'a.png', 'image/png', 1 from tickets",
      [key],
    )
    const { code, out, err } = await tickets('attachment', key, path)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^paywall: wrangler could not read \S+: .*key does not exist/)
  })
})
