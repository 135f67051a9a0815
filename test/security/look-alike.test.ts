import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { call, type Reply } from '../support/call.ts'
import { startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { getGrant, requestCode, requestTokens } from '../support/sign-in.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { MESSAGE, ticketPath } from '../support/tickets.ts'
import { changeBalance } from '../support/token-calls.ts'
import { useTestWorld } from '../support/world.ts'

// Some Unicode letters look like ASCII letters, or become ASCII when they are lower-cased or normalized. The owner of such an
// address must not be taken for the owner of the ASCII address.

const world = useTestWorld()
/** A user's e-mail address, with letters that have look-alikes. */
let victim: string

beforeAll(async () => {
  victim = (await signIn(world, { email: `nick.siskin-${randomUUID()}@kiosk.example` })).email
})

const LOOK_ALIKES: [name: string, toLookAlike: (address: string) => string][] = [
  ['U+212A, the Kelvin sign, whose lower case is k', (address) => address.replace('k', '\u212a')],
  ['U+212A in the domain', (address) => address.replace('@k', '@\u212a')],
  ['U+017F, the long s, whose upper case is S', (address) => address.replace('s', '\u017f')],
  ['U+0130, the I with a dot', (address) => address.replace('i', '\u0130')],
  ['a full-width letter', (address) => address.replace('n', '\uff4e')],
  ['a full-width @', (address) => address.replace('@', '\uff20')],
  ['a Cyrillic letter', (address) => address.replace('e', '\u0435')],
  ['a ligature', (address) => address.replace('i', '\ufb01')],
  ['an ideographic full stop', (address) => address.replace('.', '\u3002')],
  ['a soft hyphen', (address) => address.replace('i', 'i\u00ad')],
  ['a zero-width space', (address) => address.replace('i', 'i\u200b')],
  ['a combining dot', (address) => address.replace('i', 'i\u0307')],
]

const asOwner = (endpoint: string, body?: object) =>
  call(world, `/api/v1/paywall/${world.paywall.id}/${endpoint}`, { key: world.key, ...(body && { body }) })

const CANCELLATION = { subscriptionId: 'x', cancellationReason: 'none' }

/** The error of each operation that accepts an e-mail address, and the request. */
const REQUESTS: Record<string, [status: number, error: string, ask: (email: string) => Promise<Reply>]> = {
  sendSignInCode: [400, 'Invalid email format', (email) => requestCode(world, email)],
  issueTokens: [
    400,
    'Invalid email format',
    (email) => requestTokens(world, { grant_type: 'code', email, code: '12345678', challenge: 'A'.repeat(43) }),
  ],
  exchangeTokens: [400, 'Invalid email format', (email) => asOwner('sign-in/exchange', { email })],
  startCheckout: [
    400,
    'Invalid email format',
    (email) => startCheckout(world, { paywall: world.paywall, key: world.key, body: { email } }),
  ],
  openTicket: [
    400,
    'email_required',
    (email) => call(world, ticketPath(world.paywall.id), { body: { ...MESSAGE, customer_email: email } }),
  ],
  readUser: [404, 'identity_not_found', (email) => asOwner(`user?email=${encodeURIComponent(email)}`)],
  changeBalance: [404, 'identity_not_found', (email) => changeBalance(world, { email })],
  getCustomerPortal: [404, 'identity_not_on_paywall', (email) => asOwner('get-customer-portal', { email })],
  cancelSubscription: [
    404,
    'identity_not_on_paywall',
    (email) =>
      call(world, '/api/paywall/cancel-subscription', {
        key: world.key,
        body: { ...CANCELLATION, paywallId: world.paywall.id, email },
      }),
  ],
}

describe('an e-mail address that only looks like a user’s is refused, or unknown, at every endpoint', () => {
  test.each(LOOK_ALIKES)('with %s', async (_name, toLookAlike) => {
    const email = toLookAlike(victim)
    expect(email).not.toBe(victim)
    const before = await stateChecksum(world)
    for (const written of [email, ` ${email}\n`]) {
      for (const [name, [status, error, ask]] of Object.entries(REQUESTS)) {
        expect(await ask(written), `${name}: ${written}`).toMatchObject({ status, body: { error } })
      }
    }
    expect(await stateChecksum(world)).toBe(before)
  })

  test('and neither replaces nor uses a code that was mailed to the real address', async () => {
    const grant = await getGrant(world, victim)
    for (const [, toLookAlike] of LOOK_ALIKES) {
      await requestCode(world, toLookAlike(victim))
      await requestTokens(world, { ...grant, email: toLookAlike(victim) })
    }
    expect(world.mail.received.filter(({ to }) => to === victim)).toHaveLength(1)
    expect(await requestTokens(world, grant)).toMatchObject({ status: 200 })
  })
})

test('e-mail addresses are case-insensitive in ASCII', async () => {
  for (const [name, [, , ask]] of Object.entries(REQUESTS)) {
    if (['issueTokens', 'getCustomerPortal', 'cancelSubscription', 'openTicket'].includes(name)) continue
    expect((await ask(` ${victim.toUpperCase()}\n`)).status, name).toBe(200)
  }
})

test.each([
  ['users', 'insert into users (owner_id, is_test, email) select id, true, $1 from owners limit 1'],
  [
    'tickets',
    "insert into tickets (paywall_id, customer_email, subject, content) select id, $1, 'abc', 'd' from paywalls limit 1",
  ],
  ['owners', 'insert into owners (email) values ($1)'],
])('the table %s rejects such an address, too', async (table, statement) => {
  for (const [, toLookAlike] of LOOK_ALIKES) {
    await expect(world.database.query(statement, [toLookAlike(victim)])).rejects.toThrow(`${table}_`)
  }
})
