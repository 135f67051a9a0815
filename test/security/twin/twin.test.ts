import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import roles from '../../../generated/roles.json' with { type: 'json' }
import { unseal } from '../../../lib/crypto/seal.ts'
import { PROCESSOR_NAMES } from '../../../lib/processors/processor-name.ts'
import { newKey } from '../../support/deployed.ts'
import { testEveryOperation } from '../../support/every-operation.ts'
import { changedRows, rowsOfOwner } from '../../support/owner-rows.ts'
import { paywall } from '../../support/paywall.ts'
import { until } from '../../support/until.ts'
import { startTestWorld, type TestWorld } from '../../support/world.ts'
import { COMMANDS } from './commands.ts'
import { CRONS } from './crons.ts'
import { type Named, REACHES } from './cross-owner-calls.ts'
import { ARRIVING, STAYING } from './life.ts'
import { type Act, fileLikeAll, goLive, type Owner, readOwner } from './owner.ts'
import { DORA } from './people.ts'
import { nameAlike } from './same-references.ts'

/*
 * Two owners who have the same: webhook URLs, names of keys, slugs, users of the same addresses and external ids, and purchases
 * that their processors call the same. Whatever happens at the one leaves every row of the other as it was, to the byte. So it leaves
 * the one's own live world, which has the same once more.
 */

let world: TestWorld
/** The owner to whom things happen, and the one who must not be affected. */
let one: Owner
let twin: Owner
let live: Owner
/** The database functions that were called. */
const called = new Set<string>()

beforeAll(async () => {
  world = await startTestWorld({ rateLimited: true })
  const url = `${world.receiver.url}/webhooks/twins`
  one = await readOwner(world, fileLikeAll('one', url))
  twin = await readOwner(world, fileLikeAll('twin', url))
  live = await readOwner(world, fileLikeAll('live', url))
  for (const each of [twin, live]) {
    for (const act of Object.values({ ...ARRIVING, ...STAYING })) await act(each)
    await calmDown(each)
    await noticesAreRead(each)
    await waitFor(each)
  }
  await goLive(live, one)
  const { rows } = await world.database.query<{ bucket: string }>(
    `select name || key as bucket from rate_limits where key not similar to 'network:[^ ]*'`,
  )
  rateLimits = rows.map(({ bucket }) => bucket)
  world.neon.onStatement = ({ query }, run) => {
    for (const [, name = ''] of query.matchAll(/release_\w+\.(\w+)\(/g)) called.add(name)
    return run()
  }
}, 240_000)
afterAll(() => world.close())

/** What is under way at an owner ends. */
async function calmDown({ id }: Owner): Promise<void> {
  for (const acquiring of PROCESSOR_NAMES) await world[acquiring].drainWebhooks()
  await until('every event is delivered', async () => {
    const { rowCount } = await world.database.query(
      `select from deliveries d join webhook_endpoints w on w.id = d.endpoint_id where w.owner_id = $1 and w.is_test and d.state = 'pending'`,
      [id],
    )
    return rowCount === 0
  })
}

/** A notice is read once more some seconds later. */
const noticesAreRead = ({ id }: Owner) =>
  until('every notice is read', async () => {
    const notices = 'select from pending_events where owner_id = $1 and is_notice'
    return (await world.database.query(notices, [id])).rowCount === 0
  })

/** The last event of each member of the twin was not accepted, and comes again tomorrow. */
async function waitFor({ id }: Owner): Promise<void> {
  await world.database.query(
    `update deliveries d set state = 'pending', finished_at = null, next_attempt_at = now() + interval '1 day'
     from members m join paywalls p on p.id = m.paywall_id
     where p.owner_id = $1 and (d.paywall_id, d.user_id, d.sequence) = (m.paywall_id, m.user_id, m.event_sequence)`,
    [id],
  )
}

/** The twin's own rate limits: their keys are hashes, which do not show the owner. */
let rateLimits: string[]

async function rowsOfTwin(): Promise<Record<string, string[]>> {
  const { rows } = await world.database.query<{ row: string }>(
    'select to_jsonb(l)::text as row from rate_limits l where name || key = any ($1)',
    [rateLimits],
  )
  return { ...(await rowsOfOwner(world.database, twin)), rate_limits: rows.map(({ row }) => row).toSorted() }
}

/** A test that the twin notices nothing of it. */
function unnoticed(name: string, act: Act, { mayChangeLive = false } = {}): void {
  test(name, async () => {
    const [before, liveBefore] = [await rowsOfTwin(), await rowsOfOwner(world.database, live)]
    await act(one)
    await calmDown(one)
    expect(changedRows(before, await rowsOfTwin())).toEqual({})
    const changed = changedRows(liveBefore, await rowsOfOwner(world.database, live))
    if (!mayChangeLive) expect(changed, 'of its own live world').toEqual({})
  })
}

describe('what comes', () => {
  for (const [name, act] of Object.entries(ARRIVING)) unnoticed(name, act)

  test('what the two have is alike, and each has rows of every table', async () => {
    const [mine, theirs] = [await rowsOfOwner(world.database, one), await rowsOfTwin()]
    expect(Object.entries(theirs).flatMap(([table, rows]) => (rows.length === 0 ? [table] : []))).toEqual([])
    expect(Object.keys(mine)).toEqual(Object.keys(theirs))
  })
})

describe('what happens to buyers', () => {
  beforeAll(async () => {
    for (const other of [twin, live]) await nameAlike(world.database, one, other)
  })
  for (const [name, act] of Object.entries(STAYING)) unnoticed(name, act)
})

describe('what names what is the twin’s', () => {
  testEveryOperation(Object.keys(REACHES))

  /** Something of each kind that a user has there. */
  async function readNames(other: Owner): Promise<Named> {
    const { rows } = await world.database.query<Named>(
      `select user_id as "userId", id as "purchaseId", checkout_id as "checkoutId", processor_id as "subscriptionId"
       from purchases where user_id = $1`,
      [other.sessions[DORA]!.user.id],
    )
    return rows[0]!
  }

  for (const [name, reach] of Object.entries(REACHES)) {
    unnoticed(`${name} by a key and by a token, here and there`, async (me) => {
      const user = me.sessions[DORA]!
      for (const other of [twin, live]) {
        const named = await readNames(other)
        for (const place of [me.shops.stripe, other.shops.stripe]) {
          for (const caller of [{ key: me.key }, { token: user.token }]) await reach(me, place, caller, other, named)
        }
      }
    })
  }
})

describe('what a cron does', () => {
  for (const [name, act] of Object.entries(CRONS)) unnoticed(name, act)
})

test('every database function that a Worker may call was called', () => {
  const all = new Set(roles.flatMap(({ functions }) => functions))
  expect([...all].filter((name) => !called.has(name))).toEqual([])
})

describe('the command', () => {
  for (const [name, run] of Object.entries(COMMANDS)) {
    // It removes what a file does not name, including keys and webhook endpoints of the other mode.
    unnoticed(name, (me) => run(me, twin), { mayChangeLive: name === 'apply' })
  }

  /** `clock` asks the local world to move a paywall's clock, as the act above does; `rekey` is below. */
  const ELSEWHERE = ['clock', 'rekey']

  test('has no verb that has no case here', async () => {
    const { commands } = JSON.parse((await paywall(world, ['help', '--json'])).out)
    const verbs = commands.flatMap(({ usage }: { usage: string }) => {
      const [name = '', verb = ''] = usage.split(' ')
      return /^[a-z-]+(\|[a-z-]+)*$/.test(verb) ? verb.split('|').map((each) => `${name} ${each}`) : [name]
    })
    expect([...Object.keys(COMMANDS), ...ELSEWHERE].toSorted()).toEqual(verbs.toSorted())
  })

  test('rekey is for all owners: it seals the secrets of each anew, and changes nothing else', async () => {
    const SEALED = {
      processor_accounts: ['credentials'],
      webhook_endpoints: ['secret', 'previous_secret'],
      turnstile_keys: ['secret_key'],
    }
    const { secrets } = world
    const keys = {
      PROCESSOR_CREDENTIALS_KEY: `${newKey()},${secrets.PROCESSOR_CREDENTIALS_KEY}`,
      WEBHOOK_SECRETS_KEY: `${newKey()},${secrets.WEBHOOK_SECRETS_KEY}`,
      TURNSTILE_SECRETS_KEY: `${newKey()},${secrets.TURNSTILE_SECRETS_KEY}`,
    }

    /** The twin's rows with their secrets opened. */
    async function opened() {
      const rows = await rowsOfTwin()
      const open = async (table: keyof typeof SEALED, context: (row: Record<string, string>) => string, by: string) =>
        Promise.all(
          rows[table]!.map(async (text) => {
            const row = JSON.parse(text)
            for (const column of SEALED[table]) row[column] &&= await unseal(row[column], by, context(row))
            return JSON.stringify(row)
          }),
        )
      return {
        ...rows,
        processor_accounts: await open(
          'processor_accounts',
          ({ paywall_id, acquiring }) => `processor:${paywall_id}:${acquiring}`,
          keys.PROCESSOR_CREDENTIALS_KEY,
        ),
        webhook_endpoints: await open('webhook_endpoints', ({ url }) => `webhook:${url}`, keys.WEBHOOK_SECRETS_KEY),
        turnstile_keys: await open(
          'turnstile_keys',
          ({ paywall_id }) => `turnstile:${paywall_id}`,
          keys.TURNSTILE_SECRETS_KEY,
        ),
      }
    }
    const [before, sealed] = [await opened(), await rowsOfTwin()]
    const { code } = await paywall(world, ['rekey'], keys)
    expect(code).toBe(0)
    expect(Object.keys(changedRows(sealed, await rowsOfTwin())).toSorted()).toEqual(Object.keys(SEALED).toSorted())
    expect(changedRows(before, await opened())).toEqual({})
  })
})
