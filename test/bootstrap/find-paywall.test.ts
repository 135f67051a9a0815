import { expect, test } from 'vitest'
import { type Call, call } from '../support/call.ts'
import { countStatements } from '../support/statements.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const DOMAIN = 'pay.mine.example'

/** Two paywalls: one with its own domain, and one without. */
const world = useTestWorld({ file: { paywalls: [{ domain: DOMAIN }, {}] } })

const find = (host: string, options: Call = {}) => call(world, `https://${host}/api/v1/paywall`, options)
const paywallId = () => world.paywall.id

test("a paywall's own domain identifies it, in any spelling", async () => {
  for (const host of [DOMAIN, `${DOMAIN}.`, DOMAIN.toUpperCase(), `${DOMAIN}:8443`]) {
    expect(await find(host), host).toMatchObject({ status: 200, body: { id: paywallId() } })
  }
})

test("any other host returns 404 paywall_not_found, including the service's own", async () => {
  for (const host of [new URL(world.url).host, `x.${DOMAIN}`, 'mine.example', 'elsewhere.example']) {
    expect(await find(host), host).toMatchObject({ status: 404, body: { error: 'paywall_not_found' } })
  }
})

test('the edge caches the response, and callers can revalidate theirs', async () => {
  await until('the edge has it', async () => (await countStatements(world, () => find(DOMAIN))) === 0)
  const { headers } = await find(DOMAIN)
  expect(headers).toMatchObject({ etag: `"${paywallId()}"`, 'cache-control': 'private, no-cache' })
  expect(await find(DOMAIN, { headers: { 'if-none-match': headers.etag! } })).toMatchObject({ status: 304, body: '' })
  expect(await countStatements(world, () => find('elsewhere.example')), 'a refusal is not cached').toBe(1)
})

test('a call whose header names another paywall is refused, cached or not', async () => {
  for (const _call of ['first', 'cached']) {
    const findWithId = (id: string) => find(DOMAIN, { headers: { 'x-paywall-id': id } })
    expect(await findWithId('99')).toMatchObject({ status: 400, body: { error: 'paywall_id_mismatch' } })
    expect(await findWithId(paywallId())).toMatchObject({ status: 200 })
  }
})

test('the response is readable from any origin', async () => {
  expect((await find(DOMAIN)).headers).toMatchObject({ 'access-control-allow-origin': '*' })
  expect(await find(DOMAIN, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
  expect(await find(DOMAIN, { method: 'POST' })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
})

test('the log line has the id of the paywall', async () => {
  const { headers } = await find(DOMAIN)
  const line = await until('the line', async () =>
    world.logs.find((each) => each.message.includes(headers['x-request-id']!)),
  )
  expect(JSON.parse(line.message)).toMatchObject({ route: '/api/v1/paywall', paywall_id: paywallId() })
})
