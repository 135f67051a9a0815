import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { type ConsoleVisitor, mailsTo, signInToConsole } from '../support/console.ts'
import { sendForm, ticketForm, ticketId } from '../support/tickets.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

let owner: ConsoleVisitor
let email: string
let path: string
beforeEach(async () => {
  owner = await signInToConsole(world, world.file.owner.email)
  email = newEmail()
  const form = ticketForm({ subject: 'No\nexport', content: 'I paid.\nWhere is it?', customer_email: email })
  path = `/test/tickets/${ticketId(await sendForm(world, form))}`
})

const reply = (fields: Record<string, string> = {}) =>
  owner.post(path, { act: 'reply', content: 'At the top right.\r\nAnn', key: randomUUID(), ...fields })

test('a reply is mailed once, however often its form is sent, and closes the ticket if that is ticked', async () => {
  const key = randomUUID()
  const replies = [await reply({ key, close: 'yes' }), await reply({ key, close: 'yes' })]
  expect(replies).toMatchObject([{ status: 303 }, { status: 303 }])
  const mail = await world.mail.waitFor(email)
  expect(mail).toMatchObject({
    from: { name: world.paywall.name },
    replyTo: world.file.owner.email,
    subject: expect.stringMatching(/^Re: No export \(#\d+\)$/),
    text: 'At the top right.\nAnn\n\nYou wrote:\n> I paid.\n> Where is it?\n',
  })
  expect(mailsTo(world, email)).toBe(1)
  const { text } = await owner.get(path)
  expect(text).toMatch(/closed .*Where is it\?.*At the top right\. Ann/)
})

test('a reply whose mail fails is kept, shown as not mailed, and can be sent again', async () => {
  const key = randomUUID()
  world.mail.onMail = () => {
    throw new Error('full')
  }
  const failed = await reply({ key }).finally(() => {
    world.mail.onMail = undefined
  })
  expect(failed).toMatchObject({ status: 502, text: expect.stringContaining('could not be sent') })
  expect((await owner.get(path)).text).toContain('not mailed')
  expect(await reply({ key })).toMatchObject({ status: 303 })
  expect((await owner.get(path)).text).not.toContain('not mailed')
  expect(mailsTo(world, email)).toBe(1)
})

test.for([
  ['an empty reply', { content: ' \r\n ' }, 400],
  ['a reply of 5001 characters', { content: 'x'.repeat(5001) }, 400],
  ['a form without a key', { key: '' }, 400],
  ['no act', { act: '' }, 400],
] as const)('%s is refused', async ([, fields, status]) => {
  expect((await reply(fields)).status).toBe(status)
  expect(mailsTo(world, email)).toBe(0)
})
