import { get } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Home, startHome } from '../../dev/world/home/home.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

// What a page of another site can have its visitor's browser ask of the local world.

let world: TestWorld
let home: Home

beforeAll(async () => {
  world = await startTestWorld()
  const files = { current: () => [world.file], known: () => [world.file] }
  home = await startHome({ port: 0, world, files, shop: null, faults: () => [] })
})
afterAll(async () => {
  await home.close()
  await world.close()
})

test('home serves nothing to a page of another site, under any host name', async () => {
  const form = { method: 'POST', body: new URLSearchParams({ paywall: world.paywall.id, to: 'day' }) }
  expect(await statusBy('rebound.example', home.url)).toBe(403)
  for (const origin of ['https://evil.example', 'null', world.url]) {
    expect((await fetch(home.url, { ...form, headers: { origin } })).status).toBe(403)
  }
  expect((await fetch(home.url, { headers: { origin: home.url } })).status).toBe(200)
})

test('nor do the mail inbox and the receiver, which accepts webhooks from everywhere', async () => {
  const { mail, receiver } = world
  for (const url of [`${mail.url}/mails.json`, `${receiver.url}/events.json`]) {
    expect(await statusBy('rebound.example', url)).toBe(403)
    expect((await fetch(url, { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    expect((await fetch(url)).status).toBe(200)
  }
  const headers = { origin: 'https://elsewhere.example' }
  expect((await fetch(`${receiver.url}/webhooks`, { method: 'POST', body: 'one', headers })).status).toBe(200)
})

test.each(PROCESSOR_NAMES)("nor can it use the owner's controls of the emulator of %s", async (acquiring) => {
  const control = `${world[acquiring].url}/_emulator/send-held-webhooks`
  const press = async (headers: Record<string, string>) => (await fetch(control, { method: 'POST', headers })).status
  expect(await press({ origin: 'https://evil.example' })).toBe(403)
  expect(await statusBy('rebound.example', control)).toBe(403)
  expect(await press({})).toBe(200)
})

/** The status of what is asked for by another name of this address, which `fetch` does not let us say. */
const statusBy = (host: string, url: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    get(url, { headers: { host } }, (response) => resolve(response.resume().statusCode)).on('error', reject)
  })
