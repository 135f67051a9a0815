import { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ checkoutLeaseSeconds: 30 })

/** Kills the next processes of the runtime as they start, before they respond. */
function killAsTheyStart(count: number) {
  let killed = 0
  const kill = (message: unknown) => {
    const child = message && typeof message === 'object' && 'process' in message ? message.process : undefined
    if (!(child instanceof ChildProcess)) return
    child.once('spawn', () => {
      if (killed >= count || !child.spawnfile.endsWith('workerd')) return
      killed += 1
      child.kill('SIGKILL')
    })
  }
  subscribe('child_process', kill)
  return { count: () => killed, stop: () => unsubscribe('child_process', kill) }
}

test('a runtime that is killed repeatedly while it starts comes up again, at the same address', async () => {
  const before = await call(world, `/api/v1/paywall/${world.paywall.id}/bootstrap`)
  const kills = killAsTheyStart(3)
  await world.workers.kill()
  kills.stop()
  expect(kills.count()).toBe(3)
  const response = await fetch(`${world.url}/api/v1/paywall/${world.paywall.id}/bootstrap`)
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual(before.body)
})

test('two concurrent kills of the runtime both wait until it is up again', async () => {
  await Promise.all([world.workers.kill(), world.workers.kill()])
  expect(await call(world, `/api/v1/paywall/${world.paywall.id}/bootstrap`)).toMatchObject({ status: 200 })
})
