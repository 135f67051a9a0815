import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../operations/operations.ts'
import { type Call, call, type Reply } from '../support/call.ts'
import { newEmail, parseOpened, press, startCheckout } from '../support/checkout.ts'
import {
  ALLOWED_CALLS,
  callOperation,
  onPaywall,
  shown,
  takesOwnerKey,
  takesUserToken,
} from '../support/operation-call.ts'
import { countStatements } from '../support/statements.ts'
import { startTenants, type Tenants } from '../support/tenants.ts'

let all: Tenants
/** A paid return, and one without a payment. */
let paid: string
let unpaid: string

/** No events are delivered and webhooks are held: every counted statement is the request's own. */
beforeAll(async () => {
  all = await startTenants({ webhooks: [] })
  await all.world.stripe.drainWebhooks()
  all.world.stripe.holdWebhooks()
  paid = await press(parseOpened(await order()).checkoutUrl, 'pay')
  unpaid = (await press(parseOpened(await order()).checkoutUrl, 'cancel')).replace(/error$/, 'success')
})

afterAll(() => all.close())

async function callAndCount(ask: () => Promise<Reply>) {
  const replies: Reply[] = []
  const statements = await countStatements(all.world, async () => replies.push(await ask()))
  const [reply] = replies as [Reply]
  return { reply, statements }
}

type Case = [name: string, ask: () => Promise<Reply>, status: number, statements: number]

function testStatements(cases: Case[]): void {
  test.each(cases)('%s', async (_name, ask, status, statements) => {
    expect(await callAndCount(ask)).toMatchObject({ reply: { status }, statements })
  })
}

const at = (endpoint: string, id = all.ours.paywall.id) => `/api/v1/paywall/${id}/${endpoint}`
const bootstrap = (options: Parameters<typeof call>[2], id?: string) => call(all.world, at('bootstrap', id), options)
const user = (query: string, key = all.ours.key) => call(all.world, at(`user?${query}`), { key })

function order(body: Record<string, unknown> = {}, options: Parameters<typeof call>[2] = { key: all.ours.key }) {
  return startCheckout(all.world, { paywall: all.ours.paywall, ...options, body })
}

const badKey = `pk_test_${'0'.repeat(64)}`

/** A valid request of an operation, signed if it is a webhook. One that looks a user up gets one who pays. */
function ask(name: string, credential: Call): Promise<Reply> {
  const user = OPERATIONS[name]!.unknownUser ? all.payer : { email: newEmail() }
  const { paywall } = all.ours
  return callOperation(all.world, name, { ...onPaywall(paywall), user }, { ...credential, signedFor: paywall })
}

describe('every operation makes as many calls as the table says', () => {
  test.each(ALLOWED_CALLS)('$name by $caller', async ({ name, caller }) => {
    const credential = { owner: { key: all.ours.key }, user: { token: all.payer.token }, anybody: {} }[caller]
    const { statements, replies, countedBy } = OPERATIONS[name]!
    const { nobody, ownerKey, user } = replies
    const expected = countedBy === 'signature' ? '200' : { owner: ownerKey, user, anybody: nobody }[caller]
    const { reply, ...counted } = await callAndCount(() => ask(name, credential))
    expect({ reply: shown(reply), ...counted }).toEqual({ reply: expected, statements })
  })
})

describe('a credential that is refused costs', () => {
  const OWNERS = Object.keys(OPERATIONS).filter(takesOwnerKey)
  const READ_TOKENS = Object.keys(OPERATIONS).filter((name) => takesOwnerKey(name) || takesUserToken(name))

  test.each<[string, string[], () => Call, number]>([
    ['1 call for a bad key', OWNERS, () => ({ key: badKey }), 1],
    ['1 call for a key of another owner', OWNERS, () => ({ key: all.foreign.key }), 1],
    ['none for a bad token', READ_TOKENS, () => ({ token: 'x' }), 0],
    ['none if it is missing', OWNERS, () => ({}), 0],
  ])('%s', async (_what, names, credential, statements) => {
    const counts: Record<string, number> = {}
    for (const name of names) counts[name] = (await callAndCount(() => ask(name, credential()))).statements
    expect(counts).toEqual(Object.fromEntries(names.map((name) => [name, statements])))
  })
})

describe('bootstrap', () => {
  testStatements([
    ['not in the edge cache', () => bootstrap({ country: 'CH' }), 200, 1],
    ['from the edge cache', () => bootstrap({ country: 'CH' }), 200, 0],
    ['not modified', () => bootstrap({ country: 'CH', headers: { 'if-none-match': '*' } }), 304, 0],
    ['with a token', () => bootstrap({ country: 'CH', token: all.payer.token }), 200, 1],
    ['with a token again', () => bootstrap({ country: 'CH', token: all.payer.token }), 200, 1],
    ['unknown paywall', () => bootstrap({}, '99'), 404, 1],
    ['unknown paywall again: an error is not cached', () => bootstrap({}, '99'), 404, 1],
    ['wrong method', () => bootstrap({ method: 'POST' }), 405, 0],
  ])
})

describe('findPaywall', () => {
  testStatements([['wrong method', () => call(all.world, '/api/v1/paywall', { method: 'POST' }), 405, 0]])
})

describe('readUser', () => {
  testStatements([
    ['by key and e-mail, with the top-up of the day', () => user(`email=${all.member.email}`), 200, 1],
    ['by key and id', () => user(`user_id=${all.payer.id}`), 200, 1],
    ['unknown identity', () => user(`email=${newEmail()}`), 404, 1],
    ['identity off the paywall', () => user(`email=${all.stranger.email}`), 404, 1],
    ['unknown paywall', () => call(all.world, at('user?email=a@b.co', '99'), { key: all.ours.key }), 404, 1],
    ['no identity: the key is checked first', () => user(''), 400, 1],
  ])
})

describe('exchangeTokens', () => {
  const exchange = (email: string, key = all.ours.key) =>
    call(all.world, at('sign-in/exchange'), { key, body: { email } })
  testStatements([
    ['a known user', () => exchange(all.payer.email), 200, 1],
    ['bad body: the key is checked first', () => exchange('me'), 400, 1],
  ])
})

describe('startCheckout', () => {
  testStatements([
    ['unknown price', () => order({ priceId: 'price_x' }), 404, 1],
    ['missing parameters', () => order({ priceId: null }), 400, 1],
    ['active purchase', () => order({ email: all.payer.email }), 409, 1],
    ['bad parameters: the key is checked first', () => order({ successUrl: 'x' }), 400, 1],
    ['bad parameters, by token', () => order({ successUrl: 'x' }, { token: all.member.token }), 400, 0],
    ['bad Idempotency-Key', () => order({}, { key: all.ours.key, headers: { 'idempotency-key': 'x' } }), 400, 1],
  ])

  test('a call that the processor rejects: 2, the claim is given up', async () => {
    all.world.stripe.failNext('/v1/checkout/sessions', 400)
    expect(await callAndCount(() => order())).toMatchObject({ reply: { status: 502 }, statements: 2 })
  })

  test('a replay: 1 from the database, 0 once KV has it, and the same for another body with the key', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const email = newEmail() // who has no page to close after the response
    const repeat = (body = {}, key = all.ours.key) => order({ email, ...body }, { key, headers })
    expect(await callAndCount(() => repeat())).toMatchObject({ reply: { status: 200 }, statements: 2 })
    await expect.poll(() => callAndCount(() => repeat())).toMatchObject({ reply: { status: 200 }, statements: 0 })
    expect(await callAndCount(() => repeat({ trial_days: 1 }))).toMatchObject({ reply: { status: 409 }, statements: 0 })

    // Replies are stored by credential: another key of the owner's finds none in KV the first time.
    const second = `pk_test_second_${randomUUID()}`
    const { file } = all.ours
    await all.world.apply({
      ...file,
      keys: [...file.keys, { name: 'second', is_test: true, secret: second }],
    })
    expect(await callAndCount(() => repeat({ trial_days: 1 }, second))).toMatchObject({
      reply: { status: 409 },
      statements: 1,
    })
    expect(await callAndCount(() => repeat({}, second))).toMatchObject({ reply: { status: 200 }, statements: 1 })
  })
})

describe('checkoutReturn', () => {
  testStatements([
    ['paid: read, then stored', () => call(all.world, paid), 303, 2],
    ['paid, again', () => call(all.world, paid), 303, 1],
    ['not paid', () => call(all.world, unpaid), 303, 1],
    ['error', () => call(all.world, unpaid.replace(/success$/, 'error')), 303, 1],
    ['no checkout id', () => call(all.world, '/r/x/success'), 404, 0],
  ])
})

// test/processors/freemius/signed-return.test.ts counts those of purchases.
describe('signedReturn', () => {
  testStatements([
    ['unknown paywall', () => call(all.world, '/return/freemius/99'), 404, 1],
    ['unknown processor', () => call(all.world, '/return/paddle/99'), 404, 0],
  ])
})

describe('processorWebhook', () => {
  const AT_99 = '/webhooks/stripe/99'
  const someSignature = () => ({ 'stripe-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` })

  /** Delivers the last completed checkout session's event, signed with `secret`, with a new id. */
  function deliver(event: Record<string, unknown> = {}, secret?: string): Promise<Reply> {
    const { processor, id } = all.ours.paywall
    if (processor.acquiring !== 'stripe') throw new Error('not a Stripe paywall')
    const created = Math.floor(Date.now() / 1000)
    const object = all.world.stripe.checkoutSessions.findLast(({ status }) => status === 'complete')
    const type = 'checkout.session.completed'
    const body = JSON.stringify({ id: `evt_${randomUUID()}`, type, created, data: { object }, ...event })
    const signature = createHmac('sha256', secret ?? processor.credentials.webhookSecret).update(`${created}.${body}`)
    const headers = { 'stripe-signature': `t=${created},v1=${signature.digest('hex')}` }
    return call(all.world, `/webhooks/stripe/${id}`, { body, headers })
  }

  testStatements([
    ['an event: the account, then the purchase', () => deliver(), 200, 2],
    ['the same event twice', () => deliver({ id: 'evt_twice' }), 200, 2],
    ['the same event, again', () => deliver({ id: 'evt_twice' }), 200, 2],
    ['forged', () => deliver({}, 'whsec_forged'), 400, 1],
    ['unsigned', () => call(all.world, AT_99, { body: {} }), 400, 0],
    ['unknown paywall', () => call(all.world, AT_99, { body: {}, headers: someSignature() }), 404, 1],
    ['unknown processor', () => call(all.world, '/webhooks/paddle/99', { body: {} }), 404, 0],
  ])
})

test('the gateway runs no statement', async () => {
  expect(await callAndCount(() => call(all.world, '/nowhere'))).toMatchObject({ reply: { status: 404 }, statements: 0 })
  expect(await callAndCount(() => call(all.world, at('user'), { method: 'OPTIONS' }))).toMatchObject({
    reply: { status: 204 },
    statements: 0,
  })
})
