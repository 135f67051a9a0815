import { Response } from 'miniflare'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { call } from '../support/call.ts'
import { newTenant } from '../support/tenants.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const bootstrap = (paywallId: string, country = 'US') =>
  call(world, `/api/v1/paywall/${paywallId}/bootstrap`, { country })

const Structure = z.looseObject({ version: z.string(), settings: z.looseObject({ name: z.string() }) })

const structure = async (paywallId: string, country?: string) =>
  Structure.parse((await bootstrap(paywallId, country)).body)

/** The edge cache, and the key of a paywall for callers from the US. */
async function readEdge(paywallId: string) {
  const { default: edge } = await world.workers.caches()
  const { hostname } = new URL(world.url)
  return { edge, key: `https://bootstrap.internal/${hostname}/${paywallId}/US` }
}

test('the edge caches the structure for 10 s', async () => {
  const { paywall } = await newTenant(world)
  const reply = await bootstrap(paywall.id)
  const { edge, key } = await readEdge(paywall.id)
  const cached = await until('the cached response', async () => edge.match(key))
  expect(cached.headers.get('cache-control')).toBe('public, max-age=10')
  expect(await cached.json()).toEqual(reply.body)
})

test('an edit is visible within 10 s, however often the paywall is read meanwhile', async () => {
  const { file, paywall } = await newTenant(world)
  await structure(paywall.id)
  await world.apply({ ...file, paywalls: [{ ...paywall, name: 'Renamed' }] })
  const editedAt = Date.now()
  const isVisible = async () => (await structure(paywall.id)).settings.name === 'Renamed'
  await until('the edit', isVisible, 15_000)
  expect(Date.now() - editedAt).toBeLessThan(10_500)
})

test('a response from the edge cache is cached no longer than the edge would have cached it', async () => {
  const { paywall } = await newTenant(world)
  const { edge, key } = await readEdge(paywall.id)
  const old = { ...(await structure(paywall.id, 'CA')), version: `sha256:${'0'.repeat(64)}` }
  const headers = { 'cache-control': 'max-age=10', etag: `"${old.version}"` }
  const expires = new Date(Date.now() + 2_000).toUTCString()
  await edge.put(key, new Response(JSON.stringify(old), { headers: { ...headers, expires } }))
  const read = () => structure(paywall.id)

  expect(await read()).toEqual(old)
  await edge.delete(key)
  expect(await read()).toEqual(old)
  await until('the new one', async () => (await read()).version !== old.version, 2_500)
})
