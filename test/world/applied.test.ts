import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openKysely } from '../../cli/database.ts'
import type { FilePaywall } from '../../cli/paywall-file/file.ts'
import { type Home, startHome } from '../../dev/world/home/home.ts'
import { openPaywallFiles, type PaywallFiles } from '../../dev/world/paywall-files.ts'
import { writeCommandEnvironment } from '../../dev/world/secrets.ts'
import { readStoredFiles } from '../../dev/world/stored-files.ts'
import { getPriceId, newEmail, startCheckout } from '../support/checkout.ts'
import { paywall } from '../support/paywall.ts'
import { useTestWorld } from '../support/world.ts'

// A paywall file that the world was not started with, applied by `paywall apply`.

const folder = mkdtempSync(join(tmpdir(), 'paywall-applied-'))
const path = join(folder, 'mine.json')
let files: PaywallFiles
let home: Home

const world = useTestWorld({ known: () => files?.known() ?? [] })
beforeAll(async () => {
  files = await openPaywallFiles([], { environment: {} })
  home = await startHome({
    port: 0,
    world,
    files,
    reload,
    visitor: { country: 'US' },
    shop: null,
    invalidFiles: () => [],
  })
  writeCommandEnvironment(folder, { databaseUrl: world.databaseUrl, home: home.url }, world.secrets)
})
afterAll(async () => {
  files.close()
  await home?.close()
  rmSync(folder, { recursive: true })
})

const reload = async () => files.remember(await readStoredFiles(openKysely(world.database), world.secrets, []))

/** Applies a file with one price in a process of its own. Returns what the command prints. */
async function apply(id: string, price: Record<string, unknown> = {}): Promise<string> {
  const credentials = { secretKey: 'sk_test_of_my_own', webhookSecret: 'whsec_of_my_own' }
  const prices = [
    { slug: 'once', label: 'Once', currency: 'USD', amount: 5, processorPrice: 'price_once', access: true, ...price },
  ]
  const paywalls = [{ id, name: 'Mine', test: true, processor: { acquiring: 'stripe', credentials }, prices }]
  writeFileSync(path, JSON.stringify({ owner: { email: 'mine@example.com' }, keys: [{ name: 'backend' }], paywalls }))
  const { code, out, err } = await paywall(world, ['apply', path, '--yes'], { PAYWALL_LOCAL_DIR: folder })
  expect([code, err]).toEqual([0, ''])
  return out
}

const mine = (): FilePaywall => files.served().find(({ owner }) => owner.email === 'mine@example.com')!.paywalls[0]!

const buyWith = (key: string) =>
  startCheckout(world, {
    paywall: mine(),
    key,
    body: { email: newEmail(), priceId: getPriceId(mine(), 'once') },
  })

test('sells what paywall apply has applied, and an edited price, and shows it at home', async () => {
  const printed = await apply('3003')
  expect(printed).toContain(`\nThe local world serves it: ${home.url}/?paywall=3003\n`)
  const key = /pk_test_\w+/.exec(printed)?.[0] ?? ''
  const sold = { status: 200, body: { checkoutUrl: expect.stringContaining(world.stripe.url) } }
  expect(await buyWith(key)).toMatchObject(sold)

  await apply('3003', { amount: 7, processorPrice: 'price_once_7' })
  expect(mine().prices).toMatchObject([{ amount: 700, processor_price: 'price_once_7' }])
  expect(await buyWith(key)).toMatchObject(sold)
  expect(await (await fetch(`${home.url}/?paywall=3003`)).text()).toMatch(
    /<h2 id="paywall-heading">Mine<[\s\S]*\$7\.00/,
  )
})

test('is not reported as served if no local world runs on the database', async () => {
  writeCommandEnvironment(folder, { databaseUrl: world.databaseUrl, home: 'http://127.0.0.1:9' }, world.secrets)
  expect(await apply('3003', { label: 'One time' })).not.toContain('local world')
})

test('reports a local world that could not load it', async () => {
  const broken = createServer((_, response) => response.writeHead(500).end()).listen(0, '127.0.0.1')
  await once(broken, 'listening')
  const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`
  writeCommandEnvironment(folder, { databaseUrl: world.databaseUrl, home: url }, world.secrets)
  expect(await apply('3003', { label: 'Only once' })).toContain(`The local world at ${url} could not load it`)
  broken.close()
})
