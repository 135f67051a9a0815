import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { readReturn } from '../../../lib/processors/freemius/events.ts'
import { ACME, ADA, OTHER, PRICES, sdkOver } from './emulator/fixture.ts'
import { CREDENTIALS, startAdapter } from './fixture.ts'

const freemius = sdkOver(fetch)

const signed = (url: string, secret = CREDENTIALS.secretKey) => {
  const mark = url.includes('?') ? '&' : '?'
  return `${url}${mark}signature=${createHmac('sha256', secret).update(url).digest('hex')}`
}

const BASE = 'https://pay.example/r/freemius/1001'
const QUERY = 'user_id=11&plan_id=501&email=ada%40example.com&pricing_id=601&license_id=31'
const DATED = `${BASE}?${QUERY}&expiration=2026-12-01+10%3A00%3A00`
const SOLD = {
  purchase: { kind: 'subscription', id: '31', soldTo: ADA },
  email: ADA,
  processorPrice: '501:601',
  interval: null,
  currency: 'USD',
}

const read = (url: string, origin?: string) => readReturn(new URL(url), CREDENTIALS, origin)

test('a URL that Freemius signs is parsed as the SDK parses it', async () => {
  for (const url of [signed(DATED), signed(`${BASE}?shop=1&${QUERY}`)]) {
    expect(await read(url)).toEqual(SOLD)
    expect(await freemius.checkout.processRedirect(url)).toMatchObject({ license_id: '31', email: ADA })
  }
})

test('a URL whose spaces a proxy has encoded differently is valid', async () => {
  const url = signed(DATED).replace('01+10', '01%2010')
  expect(await read(url)).toEqual(SOLD)
  expect(await freemius.checkout.processRedirect(url)).toMatchObject({ license_id: '31' })
})

test('behind a proxy the signature is verified with the public origin', async () => {
  const inside = signed(DATED).replace('https://pay.example', 'http://10.0.0.7:8787')
  await expect(read(inside)).rejects.toMatchObject({ name: 'InvalidSignature' })
  expect(await read(inside, 'https://pay.example')).toEqual(SOLD)
  expect(await freemius.checkout.processRedirect(inside, 'https://pay.example')).toMatchObject({ license_id: '31' })
})

test('a lifetime licence may come without its pricing', async () => {
  expect(await read(signed(`${BASE}?${QUERY.replace('pricing_id=601&', '')}`))).toEqual({
    ...SOLD,
    processorPrice: null,
  })
})

test('parameters after the signature are ignored', async () => {
  // The SDK reads the last of duplicate names, so that a buyer could name any licence there.
  expect(await read(`${signed(DATED)}&license_id=32&email=eve%40example.com`)).toEqual(SOLD)
})

test.each([
  ['has no signature', DATED],
  ['has an empty one', `${DATED}&signature=`],
  ['is of another product', signed(DATED, OTHER.secretKey)],
  ['names another licence', signed(DATED).replace('license_id=31', 'license_id=32')],
  ['has a field before the signature', signed(DATED).replace('&signature', '&license_id=32&signature')],
  ['is of another path', signed(DATED).replace('/1001', '/1002')],
  ['is of another host', signed(DATED).replace('pay.example', 'pay.evil.example')],
  ['is of another scheme', signed(DATED).replace('https:', 'http:')],
  ['is truncated', signed(DATED).slice(0, -1)],
  ['has a signature of another form', signed(DATED).replace(/signature=.*/, `signature=${'z'.repeat(64)}`)],
  ['names no licence', signed(`${BASE}?${QUERY.replace('license_id=31', 'x=1')}`)],
  ['has no query but the signature', signed(BASE)],
])('a URL that %s is forged', async (_, url) => {
  await expect(read(url)).rejects.toMatchObject({ name: 'InvalidSignature' })
})

test.each([
  ['a monthly price', PRICES.monthly],
  ['a trial', PRICES.trial],
  ['a lifetime licence', PRICES.lifetime],
])('the emulator sends a buyer of %s to a URL that identifies the purchase', async (_, price) => {
  const { checkout, readSnapshot } = await startAdapter()
  const { to, page } = await checkout(price)
  const { purchase, ...sold } = await readReturn(new URL(to), ACME)
  const { id: processorPrice, interval, currency } = price
  expect(sold).toEqual({ email: ADA, processorPrice, interval, currency })
  expect(await readSnapshot(purchase)).toEqual(await readSnapshot(page))
})
