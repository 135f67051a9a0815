import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type ConsoleVisitor, signInToConsole } from '../support/console.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
const reason = 'She asked for it'

let admin: ConsoleVisitor
let ann: Subscriber
beforeAll(async () => {
  admin = await signInToConsole(world, world.file.owner.email)
})
beforeEach(async () => {
  const { paywall, key } = world
  ann = await subscribe(world, { paywall, key, owner: 'one' } as never)
})

/** Sends the form that the page of Ann has for an act, with its hidden fields. */
async function act(name: string, fields: Record<string, string>, sent = 1) {
  const path = `/test/users/${ann.id}`
  const { html } = await admin.get(path)
  const form = html.split('<form ').find((each) => each.includes(`name="act" value="${name}"`))
  if (!form) throw new Error(`the page has no form for ${name}`)
  const hidden = [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, key, value]) => [
    key,
    value,
  ])
  const filled = { ...Object.fromEntries(hidden), ...fields, reason }
  return Promise.all(Array.from({ length: sent }, () => admin.post(path, filled)))
}

const done = { status: 303 }
const readAnn = () => userState(world, ann.id)
const text = async () => (await admin.get(`/test/users/${ann.id}`)).text

async function lastAct() {
  const { rows } = await world.database.query(
    'select act, subject, user_id, reason from audit_log order by id desc limit 1',
  )
  return rows[0]
}

test('access is given for some days, and taken back', async () => {
  expect(await act('give_access', { days: '7', price: 'monthly' })).toMatchObject([done])
  const [{ id } = { id: '' }] = (await readAnn()).grants
  expect(await lastAct()).toEqual({ act: 'give_access', subject: id, user_id: ann.id, reason })
  expect(await act('end_access', {})).toMatchObject([done])
  expect((await readAnn()).grants).toMatchObject([])
  expect(await lastAct()).toMatchObject({ act: 'end_access', subject: id, user_id: ann.id })
})

test('tokens are given and taken, once however often the form is sent, and never more than there are', async () => {
  expect(await act('change_tokens', { op: 'give', amount: '30', type: 'premium' }, 5)).toMatchObject(
    Array(5).fill(done),
  )
  expect(await act('change_tokens', { op: 'take', amount: '10', type: 'premium' })).toMatchObject([done])
  expect(await lastAct()).toMatchObject({ act: 'change_tokens', subject: '-10 premium', user_id: ann.id })
  const refused = await act('change_tokens', { op: 'take', amount: '21', type: 'premium' })
  expect(refused).toMatchObject([{ status: 400, text: expect.stringContaining('fewer tokens') }])
  expect((await readAnn()).balances).toContainEqual({ type: 'premium', count: 20 })
})

test('a payment is refunded in part, once however often the form is sent, and never for more than is left', async () => {
  expect(await act('refund', { amount: '4.50' }, 3)).toMatchObject(Array(3).fill(done))
  expect(await lastAct()).toEqual({ act: 'refund', subject: ann.purchaseId, user_id: ann.id, reason })
  await world.stripe.drainWebhooks()
  const refunds = (await ownerEvents(world, ann.id)).filter(({ type }) => type === 'payment.refunded')
  expect(refunds).toMatchObject([{ data: { payment: { amount: 450 } } }])
  expect(await act('refund', { amount: '9.99' })).toMatchObject([
    { status: 409, text: expect.stringContaining('Nothing was refunded') },
  ])
  expect(await act('refund', { amount: '1.234' })).toMatchObject([{ status: 400 }])
})

test('a subscription is cancelled at the end of its period, and then ended', async () => {
  expect(await act('cancel_subscription', {})).toMatchObject([done])
  expect(await lastAct()).toMatchObject({ act: 'cancel_subscription', subject: ann.purchaseId, user_id: ann.id })
  await world.stripe.drainWebhooks()
  expect(await text()).toContain('was cancelled: access ends on')
  expect(await act('end_purchase', {})).toMatchObject([done])
  expect(await text()).toContain('No access: you ended')
  expect(await lastAct()).toMatchObject({ act: 'end_purchase', subject: ann.purchaseId, user_id: ann.id })
  await expect(act('end_purchase', {})).rejects.toThrow('no form')
})

test('two users are merged: the other one has everything, and the page shows it', async () => {
  const { paywall, key } = world
  const bob = await subscribe(world, { paywall, key, owner: 'one' } as never)
  for (const [into, status] of [
    ['nobody@example.com', 404],
    [ann.id, 400],
  ] as const) {
    expect(await act('merge_users', { into })).toMatchObject([{ status }])
  }
  expect(await act('merge_users', { into: bob.email.toUpperCase() })).toMatchObject([
    { location: `/test/users/${bob.id}` },
  ])
  expect(await lastAct()).toEqual({ act: 'merge_users', subject: ann.id, user_id: bob.id, reason })
  const merged = await admin.get(`/test/users/${bob.id}`)
  expect(merged.text).toContain(ann.purchaseId)
  expect(merged.text).toContain('user.merged')
  expect(await admin.post(`/test/users/${ann.id}`, { act: 'merge_users', into: bob.id, reason })).toMatchObject({
    status: 404,
  })
})

test('when the processor does not respond, the page shows that nothing was refunded', async () => {
  world.stripe.onCall = async ({ method, path }, run) =>
    method === 'POST' && path.includes('refunds') ? { status: 503, headers: {}, body: '{}' } : run()
  const [refused] = await act('refund', {}).finally(() => {
    world.stripe.onCall = undefined
  })
  expect(refused).toMatchObject({ status: 502, text: expect.stringContaining('The processor did not respond') })
})

test.for([
  ['of no kind', { act: 'nothing' }],
  ['that an object has by birth', { act: 'constructor' }],
  ['without a key', { act: 'change_tokens', op: 'give', amount: '1', type: 'premium' }],
  ['of half a token', { act: 'change_tokens', op: 'give', amount: '0.5', type: 'premium', key: randomUUID() }],
] as const)('an act %s is refused', async ([, form]) => {
  const refused = await admin.post(`/test/users/${ann.id}`, { ...form, paywall: world.paywall.id, reason })
  expect(refused.status).toBe(400)
})

test("a session's token is no owner key at other endpoints", async () => {
  const token = admin.cookie.replace(/^console_session=/, '')
  const headers = { 'x-api-key': token, 'content-type': 'application/json' }
  const body = JSON.stringify({ op: 'credit', amount: 1, type: 'premium', user_id: ann.id })
  const credited = await world.fetch(`${world.url}/api/v1/paywall/${world.paywall.id}/balances`, {
    method: 'POST',
    headers,
    body,
  })
  expect(credited.status).toBe(401)
  const events = await world.fetch(`${world.url}/api/v1/events`, { headers })
  expect(events.status).toBe(401)
})
