import { get } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Home, startHome } from '../../dev/world/home/home.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { useTestWorld } from '../support/world.ts'

// Requests that a page of another site can make to the local world in its visitor's browser.

let home: Home

const world = useTestWorld()
beforeAll(async () => {
  const files = { served: () => [world.file], known: () => [world.file] }
  home = await startHome({
    port: 0,
    world,
    files,
    reload: async () => {},
    visitor: { country: 'US' },
    shop: null,
    invalidFiles: () => [],
  })
})
afterAll(async () => {
  await home.close()
})

test('home refuses requests of another site, including DNS rebinding', async () => {
  const form = { method: 'POST', body: new URLSearchParams({ paywall: world.paywall.id, to: 'day' }) }
  expect(await getStatusWithHost('rebound.example', home.url)).toBe(403)
  for (const origin of ['https://evil.example', 'null', world.url]) {
    expect((await fetch(home.url, { ...form, headers: { origin } })).status).toBe(403)
  }
  expect((await fetch(home.url, { headers: { origin: home.url } })).status).toBe(200)
})

test('the mail inbox and the receiver refuse requests of another site, except for webhooks', async () => {
  const { mail, receiver } = world
  for (const url of [`${mail.url}/mails.json`, `${receiver.url}/events.json`]) {
    expect(await getStatusWithHost('rebound.example', url)).toBe(403)
    expect((await fetch(url, { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    expect((await fetch(url)).status).toBe(200)
  }
  const headers = { origin: 'https://elsewhere.example' }
  expect((await fetch(`${receiver.url}/webhooks`, { method: 'POST', body: 'one', headers })).status).toBe(200)
})

test.each(PROCESSOR_NAMES)('the controls of the %s emulator refuse requests of another site', async (acquiring) => {
  const control = `${world[acquiring].url}/_emulator/send-held-webhooks`
  const press = async (headers: Record<string, string>) => (await fetch(control, { method: 'POST', headers })).status
  expect(await press({ origin: 'https://evil.example' })).toBe(403)
  expect(await getStatusWithHost('rebound.example', control)).toBe(403)
  expect(await press({})).toBe(200)
})

/** The status of a request with another Host header, which `fetch` does not allow. */
const getStatusWithHost = (host: string, url: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    get(url, { headers: { host } }, (response) => resolve(response.resume().statusCode)).on('error', reject)
  })
