import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

// Rate limits guard nothing that a request depends on.

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ rateLimited: true, cutOff: ['gateway'] })
})
afterAll(() => world.close())

const warnings = (message: string) =>
  world.logs.filter((line) => line.level === 'warn' && JSON.parse(line.message).message === message)

test('a caller who cannot be counted is served', async () => {
  expect(await call(world, `/api/v1/paywall/${world.paywall.id}/bootstrap`)).toMatchObject({ status: 200 })
  await expect.poll(() => warnings('a caller could not be counted')).toHaveLength(1)
})
