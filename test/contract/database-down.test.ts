import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ResponseCutOff, ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { OPERATIONS } from '../operations/operations.ts'
import { call, type Reply } from '../support/call.ts'
import { getPriceId, newEmail, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { leaksIn } from '../support/leaks.ts'
import { ALLOWED_CALLS, type AllowedCall, callOperation, onPaywall } from '../support/operation-call.ts'
import { refusal } from '../support/refusal.ts'
import { isCallStatement } from '../support/statements.ts'
import { MESSAGE, randomImage, sendForm, ticketForm } from '../support/tickets.ts'
import { changeBalance, withdraw } from '../support/token-calls.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

let token: string

// No webhook endpoint subscribes to tickets, so no delivery adds statements.
const world = useTestWorld({ file: { webhooks: [] } })
beforeAll(async () => {
  token = (await signIn(world)).token
})

afterEach(() => {
  world.neon.onStatement = undefined
})

const path = (endpoint: string) => `/api/v1/paywall/${world.paywall.id}/${endpoint}`

/** A database error as Postgres reports it, with a text that must not leak. */
function databaseError(code: string): pg.DatabaseError {
  const error = new pg.DatabaseError('host db-secret.example refused owner@example.com', 1, 'error')
  return Object.assign(error, { code, detail: 'Key (email)=(owner@example.com)', severity: 'ERROR' })
}

function failStatements(error: Error): void {
  world.neon.onStatement = () => Promise.reject(error)
}

/** A request of each operation by each kind of caller: all of them need the database. The names of the callers' users are new. */
function ask({ name, caller }: AllowedCall): Promise<Reply> {
  const credential = { owner: { key: world.key }, user: { token }, anybody: {} }[caller]
  const user = caller === 'user' ? {} : { email: newEmail(), ...(name === 'withdrawTokens' && { id: randomUUID() }) }
  return callOperation(world, name, { ...onPaywall(world.paywall), user }, { ...credential, signedFor: world.paywall })
}

/** The whole body of an error. */
function errorBody(name: string, error: string) {
  return refusal(error, OPERATIONS[name]!.repeatsErrorAsCode ? { code: error } : {})
}

function expectRetryable(reply: Reply, name: string): void {
  expect(reply).toMatchObject({ status: 503, body: { error: 'database_unavailable' } })
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  expect(reply.body).toEqual(errorBody(name, 'database_unavailable'))
  expect(reply.headers['access-control-allow-origin']).toBe('*')
}

const CALLS = [
  ...ALLOWED_CALLS.map((each) => ({ ...each, how: '', send: () => ask(each) })),
  {
    name: 'openTicket',
    caller: 'user',
    how: ' with an image',
    send: () => sendForm(world, ticketForm(MESSAGE, [randomImage()]), { token }),
  },
]

describe.each(CALLS)('$name by $caller$how', ({ name, how, send }) => {
  test.each([
    ['the database has no connection left', () => databaseError('53300')],
    ['the database waited too long for a row lock', () => databaseError('55P03')],
    ['the database cancelled a statement that took too long', () => databaseError('57014')],
  ])('503 with Retry-After when %s', async (_how, error) => {
    failStatements(error())
    expectRetryable(await send(), name)
  })

  test.each([
    ['the database does not answer', () => new ResponseLost()],
    ['the response of the database breaks off', () => new ResponseCutOff()],
    ['the database shuts down', () => databaseError('57P01')],
    ['the proxy cannot reach the database', () => new Error('connect ECONNREFUSED db-secret.example:5432')],
  ])('503 when %s, with an unknown outcome', async (_how, error) => {
    failStatements(error())
    const reply = await send()
    const message = how ? undefined : OPERATIONS[name]!.unknownOutcome
    if (!message) return expectRetryable(reply, name)
    expect(reply).toMatchObject({ status: 503, body: { ...errorBody(name, 'database_unavailable'), message } })
    expect(reply.headers).not.toHaveProperty('retry-after')
  })

  test('500 internal_error and nothing else when a statement fails for another reason', async () => {
    failStatements(databaseError('42703'))
    const reply = await send()
    expect(reply).toMatchObject({ status: 500 })
    expect(reply.body).toEqual(errorBody(name, 'internal_error'))
    expect(reply.headers).not.toHaveProperty('retry-after')
  })

  test('recovers as soon as the database does', async () => {
    expect((await send()).status).toBeLessThan(500)
  })
})

test("start-checkout: a call that failed before or after the processor's call succeeds with the same key, and opens one page", async () => {
  for (const failing of [1, 2]) {
    const headers = { 'idempotency-key': randomUUID() }
    const order = { paywall: world.paywall, key: world.key, headers, body: { email: newEmail() } }
    const before = world.stripe.checkoutSessions.length
    let statements = 0
    world.neon.onStatement = (statement, run) => {
      if (!isCallStatement(statement)) return run()
      statements += 1
      return statements === failing ? Promise.reject(new ResponseLost()) : run()
    }
    expect(await startCheckout(world, order), `statement ${failing}`).toMatchObject({ status: 503 })
    world.neon.onStatement = undefined
    await world.database.query('update checkout_claims set leased_until = now() where not opened')
    expect(await startCheckout(world, order), `statement ${failing}`).toMatchObject({ status: 200 })
    expect(world.stripe.checkoutSessions.length - before).toBe(1)
  }
})

test('user: a top-up whose response was lost is not made twice', async () => {
  const { id } = await signIn(world)
  world.neon.onStatement = async (_statement, run) => {
    await run()
    throw new ResponseLost()
  }
  expect(await call(world, path(`user?user_id=${id}`), { key: world.key })).toMatchObject({ status: 503 })
  world.neon.onStatement = undefined
  expect((await userState(world, id)).balances).toContainEqual({ type: 'standard', count: 10 })
  const { rows } = await world.database.query('select delta::int from ledger where user_id = $1', [id])
  expect(rows).toEqual([{ delta: 10 }])
})

test('a change with an Idempotency-Key may be repeated, whatever its outcome', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  failStatements(new ResponseLost())
  for (const reply of [
    await changeBalance(world, { email: newEmail() }, { headers }),
    await withdraw(world, { user_id: randomUUID() }, { headers }),
  ]) {
    expect(reply).toMatchObject({ status: 503, body: { error: 'database_unavailable' } })
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  }
})

test('bootstrap from the edge cache does not need the database', async () => {
  const ask = () => call(world, path('bootstrap'), { country: 'JP' })
  expect(await ask()).toMatchObject({ status: 200 })
  failStatements(new ResponseLost())
  expect(await ask()).toMatchObject({
    status: 200,
    body: { prices: [{ id: getPriceId(world.paywall, 'monthly') }, {}] },
  })
})

test('the logs contain what failed, and nothing about the user', () => {
  expect(leaksIn(world, [world.databaseUrl])).toEqual([])
  expect(world.logs.filter(({ level }) => level === 'error').length).toBeGreaterThan(20)
})
