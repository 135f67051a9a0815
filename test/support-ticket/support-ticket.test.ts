import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Call, call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { testRows } from '../support/rows.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { person, startTenants, type Tenants } from '../support/tenants.ts'
import { MESSAGE, randomImage, sendForm, ticketForm, ticketId, ticketPath } from '../support/tickets.ts'

let tenants: Tenants

beforeAll(async () => {
  tenants = await startTenants()
})

afterAll(() => tenants.close())

/** A guest's ticket, with fields of the body added or replaced; `undefined` removes one. */
const guest = (body: Record<string, unknown> = {}, options: Call = {}, paywallId = tenants.ours.paywall.id) =>
  call(tenants.world, ticketPath(paywallId), { ...options, body: { ...MESSAGE, customer_email: newEmail(), ...body } })
const send = (options: Call) => call(tenants.world, ticketPath(tenants.ours.paywall.id), options)

const OPENED = { ticket: { id: expect.any(Number), status: 'open' } }
const emojis = (count: number) => '😀'.repeat(count)

describe('invalid requests', () => {
  const email = 'a@example.com'
  testRows([
    ['no subject', () => guest({ subject: undefined }), 400, 'invalid_payload'],
    ['no content', () => guest({ content: undefined }), 400, 'invalid_payload'],
    ['a subject that is null', () => guest({ subject: null }), 400, 'invalid_payload'],
    ['content that is a number', () => guest({ content: 7 }), 400, 'invalid_payload'],
    ['a body that is a list', () => send({ body: [MESSAGE] }), 400, 'invalid_payload'],
    ['malformed JSON', () => send({ body: '{"subject":' }), 400, 'invalid_json'],
    ['a NUL', () => guest({ subject: 'a\0bcd' }), 400, 'invalid_json'],
    ['half of a surrogate pair', () => guest({ content: '\ud83d' }), 400, 'invalid_json'],
    ['too large', () => guest({ more: 'x'.repeat(65_536) }), 413, 'payload_too_large'],
    [
      'missing content is reported before a short subject',
      () => send({ body: { subject: 'a' } }),
      400,
      'invalid_payload',
    ],
    [
      'a short subject is reported before a missing address',
      () => send({ body: { subject: 'a', content: 'b' } }),
      400,
      'subject_length',
    ],
    [
      'empty content is reported before a missing address',
      () => send({ body: { subject: 'abc', content: '' } }),
      400,
      'content_length',
    ],
    ['no address', () => guest({ customer_email: undefined }), 400, 'email_required'],
    ['a blank address', () => guest({ customer_email: ' ' }), 400, 'email_required'],
    ['an address that is null', () => guest({ customer_email: null }), 400, 'email_required'],
    ['a malformed address', () => guest({ customer_email: 'me' }), 400, 'email_required'],
    ['an address too long', () => guest({ customer_email: `${'x'.repeat(243)}@example.com` }), 400, 'email_required'],
    ['an owner key is no credential', () => send({ key: tenants.ours.key, body: MESSAGE }), 400, 'email_required'],
    ['a bad token with an address', () => guest({}, { token: 'x' }), 401, 'invalid_token'],
    [
      'an Authorization header other than Bearer',
      () => guest({}, { headers: { authorization: 'Basic eA==' } }),
      401,
      'invalid_token',
    ],
    ['a token of another paywall', () => guest({}, { token: tenants.stranger.token }), 401, 'invalid_token'],
    ['an unknown paywall', () => guest({ customer_email: email }, {}, '99'), 404, 'paywall_not_found'],
    ['a non-numeric paywall', () => guest({ customer_email: email }, {}, 'acme'), 404, 'paywall_not_found'],
    ['another method', () => send({}), 405, 'method_not_allowed'],
  ])
})

describe('lengths count characters, not UTF-16 units', () => {
  testRows([
    ['subject of 2', () => guest({ subject: emojis(2) }), 400, 'subject_length'],
    ['subject of 3', () => guest({ subject: emojis(3) }), 200, OPENED],
    ['subject of 200', () => guest({ subject: emojis(200) }), 200, OPENED],
    ['subject of 201', () => guest({ subject: emojis(201) }), 400, 'subject_length'],
    ['subject of white space', () => guest({ subject: '  \n ' }), 400, 'subject_length'],
    ['content of 0', () => guest({ content: '' }), 400, 'content_length'],
    ['content of 1', () => guest({ content: emojis(1) }), 200, OPENED],
    ['content of 5000', () => guest({ content: emojis(5000) }), 200, OPENED],
    ['content of 5001', () => guest({ content: emojis(5001) }), 400, 'content_length'],
  ])
})

describe('the quota', () => {
  const spend = async (body: Record<string, unknown>, options: Call = {}) => {
    for (const _turn of [1, 2]) expect(await guest(body, options)).toMatchObject({ status: 200 })
    return guest(body, options)
  }

  test('is two tickets a day for an e-mail address, however it is spelled', async () => {
    const customer_email = newEmail()
    const third = await spend({ customer_email })
    expect(third).toMatchObject({ status: 429, body: { error: 'rate_limit_exceeded' } })
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(86_000)
    expect(await guest({ customer_email: ` ${customer_email.toUpperCase()} ` })).toMatchObject({ status: 429 })
    expect(await guest()).toMatchObject({ status: 200 })
  })

  test('counts per user, and the body’s address is ignored', async () => {
    const { token, email } = await person(tenants.world, tenants.ours)
    const customer_email = newEmail()
    expect(await spend({ customer_email }, { token })).toMatchObject({ status: 429 })
    expect(await guest({ customer_email })).toMatchObject({ status: 200 })
    expect(await guest({ customer_email: email })).toMatchObject({ status: 200 })
  })

  test('counts per paywall', async () => {
    const customer_email = newEmail()
    expect(await spend({ customer_email })).toMatchObject({ status: 429 })
    expect(await guest({ customer_email }, {}, tenants.foreign.paywall.id)).toMatchObject({ status: 200 })
  })

  test('allows another ticket when the first of the two is a day old, and Retry-After says when', async () => {
    const customer_email = newEmail()
    const advance = (time: string) => tenants.world.clock.advance(tenants.ours.paywall.id, time)
    expect(await guest({ customer_email })).toMatchObject({ status: 200 })
    await advance('1h')
    expect(await guest({ customer_email })).toMatchObject({ status: 200 })
    await advance('1379m')
    const refused = await guest({ customer_email })
    expect(refused).toMatchObject({ status: 429 })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
    await advance('1m')
    expect(await guest({ customer_email })).toMatchObject({ status: 200 })
    expect(await guest({ customer_email })).toMatchObject({ status: 429 })
  })

  test('is not used up by refused tickets', async () => {
    const customer_email = newEmail()
    for (const _turn of [1, 2, 3]) await guest({ customer_email, subject: 'a' })
    expect(await spend({ customer_email })).toMatchObject({ status: 429 })
  })
})

describe('a ticket', () => {
  const readRow = async (id: number) =>
    (await tenants.world.database.query('select * from tickets where id = $1', [id])).rows[0]

  test('of a user has the user’s e-mail address, and its event is in the user’s sequence', async () => {
    const { token, id, email } = await person(tenants.world, tenants.ours)
    const first = await guest({ subject: ' First ' }, { token })
    const second = await sendForm(tenants.world, ticketForm(MESSAGE, [randomImage('image/webp', 3000)]), { token })
    expect([first, second]).toMatchObject([{ status: 200 }, { status: 200 }])
    expect(await readRow(ticketId(first))).toMatchObject({ user_id: id, customer_email: email, subject: 'First' })

    const events = await ownerEvents(tenants.world, id)
    expect(events).toMatchObject([
      {
        type: 'ticket.created',
        data: { sequence: 1, user: { id, email }, ticket: { id: ticketId(first), status: 'open' } },
      },
      {
        type: 'ticket.created',
        data: {
          sequence: 2,
          paywall_id: tenants.ours.paywall.id,
          ticket: {
            ...MESSAGE,
            id: ticketId(second),
            customer_email: email,
            attachments: [{ key: expect.any(String), file_name: 'screen.png', media_type: 'image/webp', size: 3000 }],
          },
        },
      },
    ])
  })

  test('of a guest creates no user, and its event has no user id', async () => {
    const customer_email = newEmail()
    const reply = await guest({ customer_email })
    expect(await readRow(ticketId(reply))).toMatchObject({ user_id: null, customer_email })
    const { rows } = await tenants.world.database.query('select from users where email = $1', [customer_email])
    expect(rows).toEqual([])
    const events = (await ownerEvents(tenants.world, null)).filter(({ data }) => data.user.email === customer_email)
    expect(events).toMatchObject([{ times: 1, data: { user: { id: null }, sequence: 1, ticket: { ...MESSAGE } } }])
  })

  test('of an anonymous user needs no e-mail address and stores none', async () => {
    const { token, user } = await signInAnonymously(tenants.world)
    for (const _turn of [1, 2]) {
      const reply = await guest({}, { token })
      expect(reply).toMatchObject({ status: 200, body: OPENED })
      expect(await readRow(ticketId(reply))).toMatchObject({ user_id: user.id, customer_email: null })
    }
    expect(await guest({}, { token })).toMatchObject({ status: 429 })
  })
})
