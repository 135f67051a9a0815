import { randomInt } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call, type Reply } from '../support/call.ts'
import { mollieProcessor, postMollieWebhook } from '../support/mollie-purchase.ts'
import { countStatements } from '../support/statements.ts'
import { postWebhook, stripeCredentials } from '../support/stripe-purchase.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ file: { webhooks: [], paywalls: [{}, { processor: mollieProcessor() }] } })

async function callAndCount(ask: () => Promise<Reply>) {
  let reply: Reply | undefined
  const statements = await countStatements(world, async () => {
    reply = await ask()
  })
  return { ...reply, statements }
}

const agoSeconds = (seconds: number) => Math.floor(Date.now() / 1000) - seconds
const hex = (length: number) => Array.from({ length }, () => randomInt(16).toString(16)).join('')

describe('an invalid webhook costs few database queries or none:', () => {
  const body = JSON.stringify({ id: 'evt_1', type: 'customer.created', created: agoSeconds(0), data: { object: {} } })

  test.each<[string, string | null]>([
    ['without a signature', null],
    ['with an empty signature', ''],
    ['with a malformed signature', 'please'],
    ['with only a time', `t=${agoSeconds(0)}`],
    ['with a signature without a time', `v1=${hex(64)}`],
    ['with a signature that is too short', `t=${agoSeconds(0)},v1=00`],
    ['with a signature of an older scheme only', `t=${agoSeconds(0)},v0=${hex(64)}`],
    ['with an invalid time', `t=soon,v1=${hex(64)}`],
    ['with a time too long ago', `t=${agoSeconds(310)},v1=${hex(64)}`],
  ])('Stripe: %s', async (_, signature) => {
    const forged = await callAndCount(() => postWebhook(world, body, { signature }))
    expect(forged).toMatchObject({ status: 400, body: { error: 'invalid_signature' }, statements: 0 })
  })

  test.each<[string, string | null]>([
    ['without a signature', null],
    ['with an empty signature', ''],
    ['with a malformed signature', 'sha256=zz'],
    ['with a signature that is too short', 'sha256=00'],
  ])('Mollie: %s', async (_, signature) => {
    const paywallId = world.file.paywalls[1]!.id
    const forged = await callAndCount(() => postMollieWebhook(world, body, { signature, paywallId, secret: 'x' }))
    expect(forged).toMatchObject({ status: 400, body: { error: 'invalid_signature' }, statements: 0 })
  })

  test('with an invalid paywall id', async () => {
    const headers = { 'stripe-signature': `t=${agoSeconds(0)},v1=${hex(64)}` }
    const stray = await callAndCount(() => call(world, '/webhooks/stripe/acme', { body, headers }))
    expect(stray).toMatchObject({ status: 404, body: { error: 'paywall_not_found' }, statements: 0 })
  })

  test('with a forged signature it costs one query, and a flood of them no more', async () => {
    const forge = () => postWebhook(world, body, { secret: `whsec_${hex(24)}` })
    const refused = { status: 400, body: { error: 'invalid_signature' } }
    expect(await callAndCount(forge)).toMatchObject({ ...refused, statements: 1 })
    const flood = await callAndCount(async () => (await Promise.all(Array.from({ length: 50 }, forge))).at(-1)!)
    expect(flood).toMatchObject({ ...refused, statements: 0 })
  })

  test('a genuine webhook is accepted in the meantime, and one with a new secret after a moment', async () => {
    const [paywall] = world.file.paywalls
    const signed = () => postWebhook(world, body)
    expect(await postWebhook(world, body, { secret: 'whsec_guessed' })).toMatchObject({ status: 400 })
    expect(await signed()).toMatchObject({ status: 200 })

    const credentials = { ...stripeCredentials(paywall!), webhookSecret: `whsec_${hex(24)}` }
    const processor = { acquiring: 'stripe' as const, credentials }
    await world.apply({ ...world.file, paywalls: [{ ...paywall!, processor }, ...world.file.paywalls.slice(1)] })
    const renewed = () => postWebhook(world, body, { secret: credentials.webhookSecret })
    await until('the new secret counts', async () => (await renewed()).status === 200, 15_000)
    expect(await signed()).toMatchObject({ status: 400 })
  }, 20_000)
})
