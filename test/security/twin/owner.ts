import { randomBytes, randomInt } from 'node:crypto'
import { type PaywallFile, readPaywallFile } from '../../../cli/paywall-file/file.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../../lib/processors/processor-name.ts'
import type { Buyer } from '../../conformance/buyer.ts'
import { paywallAt, type Shop, shopAt } from '../../conformance/shop.ts'
import { readOwnerId } from '../../support/owner-id.ts'
import type { FileJson } from '../../support/paywall-file.ts'
import type { CodeGrant, Session } from '../../support/sign-in.ts'
import type { TestWorld } from '../../support/world.ts'

/** An action of an owner. */
export type Act = (me: Owner) => Promise<unknown>

/** One of several owners with the same webhook URL, key names, price slugs, and user names. */
export interface Owner {
  /** The world as this owner's tests see it. */
  world: TestWorld
  id: string
  isTest: boolean
  email: string
  key: string
  /** Its paywall file as written. */
  written: FileJson
  /** Its paywalls, one per processor. The one at Stripe has a domain. */
  shops: Record<ProcessorName, Shop>
  /** The sessions of its users, by e-mail address. */
  sessions: Record<string, Session>
  /** A mailed sign-in code that is not used yet. */
  grant?: CodeGrant
  /** Its buyers, by e-mail address. */
  buyers: Record<string, Buyer>
}

/** Half of the first month. */
const SPRING = {
  id: 'spring',
  title: 'Spring',
  discount: { percent: 50, periods: 1 },
  prices: ['monthly'],
  max: 2,
  processorDiscount: 'HALF_ONCE',
}

/** A tenth of each period of a subscriber who stays, also by a code. */
const STAY = {
  ...SPRING,
  id: 'stay',
  title: 'Stay',
  discount: { percent: 10, periods: 'forever' },
  prices: ['monthly', 'plus', 'yearly'],
  show: 'cancel',
  processorDiscount: 'TENTH',
}
const TEAM = { ...SPRING, id: 'team', title: 'Team', code: 'TEAM-2027', show: 'code' }

/** A paywall file that differs from those of the other owners only where it must. */
export function twinFile(name: string, webhookUrl: string): FileJson {
  return {
    owner: { email: `owner-${name}@example.com` },
    team: [{ email: `support-${name}@example.com`, role: 'support' }],
    reporting: { currency: 'USD', rates: [{ from: '2026-01-01', currency: 'EUR', rate: '1.1' }] },
    keys: [{ name: 'backend', secret: `pk_test_${randomBytes(32).toString('hex')}` }],
    webhooks: [{ url: webhookUrl, secret: newWebhookSecret(), events: ['*', 'balance.changed'] }],
    paywalls: PROCESSOR_NAMES.map((acquiring) => ({
      id: String(randomInt(10_000, 2 ** 47)),
      name: 'Twins',
      test: true,
      ...paywallAt(acquiring),
      turnstile: { siteKey: '1x00000000000000000000AA', secretKey: '1x0000000000000000000000000000000AA' },
      ...(acquiring === 'stripe' && { domain: `pay-${name}.example`, offers: [SPRING, STAY, TEAM] }),
    })),
  }
}

export const newWebhookSecret = () => `whsec_${randomBytes(32).toString('base64')}`

export async function readOwner(world: TestWorld, written: FileJson): Promise<Owner> {
  const file = await readFile(written)
  await world.apply(file)
  const key = file.keys[0]?.secret ?? ''
  const paywall = file.paywalls.find(({ processor }) => processor.acquiring === 'stripe')!
  /** All callers of both owners are in one network. */
  const fetch: TestWorld['fetch'] = (path, init = {}) => {
    const headers = new Headers(init.headers as Record<string, string>)
    headers.set('cf-connecting-ip', '203.0.113.7')
    return world.fetch(path, { ...init, headers: Object.fromEntries(headers) })
  }
  const own = { ...world, fetch, file, key, paywall }
  const shops = Object.fromEntries(
    file.paywalls.map((each) => [each.processor.acquiring, shopAt(own, each, each, key)]),
  ) as Owner['shops']
  const id = await readOwnerId(world, paywall.id)
  return { world: own, id, isTest: true, email: file.owner.email, key, written, shops, sessions: {}, buyers: {} }
}

/** Moves all rows of the owner `live` to the owner `one`, as live data next to its test data. */
export async function goLive(live: Owner, one: Owner): Promise<void> {
  const { database } = one.world
  const { rows } = await database.query<{ name: string; hasMode: boolean }>(`
    select c.relname as name, bool_or(a.attname = 'is_test') as "hasMode" from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
    group by 1 having bool_or(a.attname = 'owner_id')`)
  const client = await database.connect()
  try {
    await client.query('begin')
    await client.query('set local session_replication_role = replica') // the keys that refer to each other change one by one
    await client.query(`update api_keys set name = 'live' where owner_id = $1`, [live.id])
    await client.query('delete from exchange_rates where owner_id = $1', [live.id]) // those of an owner are of both modes
    for (const { name, hasMode } of rows) {
      const mode = hasMode ? ', is_test = false' : ''
      const clock = name === 'paywalls' ? `, clock_offset = '0'` : ''
      await client.query(`update ${name} set owner_id = $2 ${mode} ${clock} where owner_id = $1`, [live.id, one.id])
    }
    await client.query('commit')
  } finally {
    client.release()
  }
  Object.assign(live, { id: one.id, isTest: false })
}

async function readFile(written: FileJson): Promise<PaywallFile> {
  const read = await readPaywallFile(JSON.stringify(written), {})
  if ('errors' in read) throw new Error(read.errors.join('\n'))
  return read.file
}
