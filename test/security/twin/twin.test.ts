import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import roles from '../../../generated/roles.json' with { type: 'json' }
import { unseal } from '../../../lib/crypto/seal.ts'
import { PROCESSOR_NAMES } from '../../../lib/processors/processor-name.ts'
import { operationIds } from '../../operations/request.ts'
import { newKey } from '../../support/deployed.ts'
import { changedRows, rowsOfOwner } from '../../support/owner-rows.ts'
import { paywall } from '../../support/paywall.ts'
import { until } from '../../support/until.ts'
import { startTestWorld, type TestWorld } from '../../support/world.ts'
import { COMMANDS } from './commands.ts'
import { CRONS } from './crons.ts'
import { CROSS_OWNER_CALLS, type Named } from './cross-owner-calls.ts'
import { FIRST_ACTIONS, LATER_ACTIONS } from './life.ts'
import { type Act, goLive, type Owner, readOwner, twinFile } from './owner.ts'
import { DORA } from './people.ts'
import { copyProcessorIds } from './same-references.ts'

/*
 * Two owners with the same webhook URLs, key names, slugs, user addresses, external ids and processor ids of purchases. Whatever one
 * owner does changes no byte of the other's rows, nor of its own live data, which has all these names once more.
 */

let world: TestWorld
/** The owner that acts, the one that must not be affected, and the live data of the first. */
let one: Owner
let twin: Owner
let live: Owner
/** The database functions that were called. */
const called = new Set<string>()

beforeAll(async () => {
  world = await startTestWorld({ rateLimited: true })
  const url = `${world.receiver.url}/webhooks/twins`
  one = await readOwner(world, twinFile('one', url))
  twin = await readOwner(world, twinFile('twin', url))
  live = await readOwner(world, twinFile('live', url))
  for (const owner of [twin, live]) {
    for (const act of Object.values({ ...FIRST_ACTIONS, ...LATER_ACTIONS })) await act(owner)
    await settle(owner)
    await waitForNotices(owner)
    await postponeLastEvents(owner)
  }
  await goLive(live, one)
  const { rows } = await world.database.query<{ bucket: string }>(
    `select name || key as bucket from rate_limits where key not similar to 'network:[^ ]*( paywall:console)?|paywall:console'`,
  )
  rateLimits = rows.map(({ bucket }) => bucket)
  world.neon.onStatement = ({ query }, run) => {
    for (const [, name = ''] of query.matchAll(/release_\w+\.(\w+)\(/g)) called.add(name)
    return run()
  }
}, 240_000)
afterAll(() => world.close())

/** Waits until an owner's webhooks and events are delivered. */
async function settle({ id }: Owner): Promise<void> {
  for (const acquiring of PROCESSOR_NAMES) await world[acquiring].drainWebhooks()
  await until('every event is delivered', async () => {
    const { rowCount } = await world.database.query(
      `select from deliveries d join webhook_endpoints w on w.id = d.endpoint_id where w.owner_id = $1 and w.is_test and d.state = 'pending'`,
      [id],
    )
    return rowCount === 0
  })
}

/** Waits until every notice is processed: each is read again some seconds later. */
const waitForNotices = ({ id }: Owner) =>
  until('every notice is read', async () => {
    const notices = 'select from pending_events where owner_id = $1 and is_notice'
    return (await world.database.query(notices, [id])).rowCount === 0
  })

/** Makes the last event of each member pending until tomorrow, as if its endpoint had rejected it. */
async function postponeLastEvents({ id }: Owner): Promise<void> {
  await world.database.query(
    `update deliveries d set state = 'pending', finished_at = null, next_attempt_at = now() + interval '1 day'
     from members m join paywalls p on p.id = m.paywall_id
     where p.owner_id = $1 and (d.paywall_id, d.user_id, d.sequence) = (m.paywall_id, m.user_id, m.event_sequence)`,
    [id],
  )
}

/** The twin's own rate limits: their keys are hashes, which do not show the owner. */
let rateLimits: string[]

async function readTwinRows(): Promise<Record<string, string[]>> {
  const { rows } = await world.database.query<{ row: string }>(
    'select to_jsonb(l)::text as row from rate_limits l where name || key = any ($1)',
    [rateLimits],
  )
  return { ...(await rowsOfOwner(world.database, twin)), rate_limits: rows.map(({ row }) => row).toSorted() }
}

/** Defines a test that the act changes no row of the twin, nor of the owner's live data. */
function testUnaffected(name: string, act: Act, { mayChangeLive = false } = {}): void {
  test(`leaves the twin unchanged: ${name}`, async () => {
    const [before, liveBefore] = [await readTwinRows(), await rowsOfOwner(world.database, live)]
    await act(one)
    await settle(one)
    expect(changedRows(before, await readTwinRows())).toEqual({})
    const changed = changedRows(liveBefore, await rowsOfOwner(world.database, live))
    if (!mayChangeLive) expect(changed, 'its own live data').toEqual({})
  })
}

describe('visits and first purchases', () => {
  for (const [name, act] of Object.entries(FIRST_ACTIONS)) testUnaffected(name, act)

  test('both owners have rows in the same tables, which are all tables', async () => {
    const [mine, theirs] = [await rowsOfOwner(world.database, one), await readTwinRows()]
    expect(Object.entries(theirs).flatMap(([table, rows]) => (rows.length === 0 ? [table] : []))).toEqual([])
    expect(Object.keys(mine)).toEqual(Object.keys(theirs))
  })
})

describe('later events of buyers', () => {
  beforeAll(async () => {
    for (const other of [twin, live]) await copyProcessorIds(world.database, one, other)
  })
  for (const [name, act] of Object.entries(LATER_ACTIONS)) testUnaffected(name, act)
})

describe('calls that name the twin’s ids', () => {
  test('are of every operation', () => {
    expect(Object.keys(CROSS_OWNER_CALLS).toSorted()).toEqual(operationIds.toSorted())
  })

  /** The ids of a purchase of the other owner's user. */
  async function readIds(other: Owner): Promise<Named> {
    const { rows } = await world.database.query<Named>(
      `select p.user_id as "userId", p.id as "purchaseId", p.checkout_id as "checkoutId", p.processor_id as "subscriptionId",
         g.id as "grantId"
       from purchases p join grants g on g.owner_id = $2 and g.ended_at is null where p.user_id = $1`,
      [other.sessions[DORA]!.user.id, other.id],
    )
    return rows[0]!
  }

  for (const [name, reach] of Object.entries(CROSS_OWNER_CALLS)) {
    testUnaffected(`${name} with a key and with a token, on its own and on the other paywall`, async (me) => {
      const user = me.sessions[DORA]!
      for (const other of [twin, live]) {
        const named = await readIds(other)
        for (const place of [me.shops.stripe, other.shops.stripe]) {
          for (const caller of [{ key: me.key }, { token: user.token }]) await reach(me, place, caller, other, named)
        }
      }
    })
  }
})

describe('crons', () => {
  for (const [name, act] of Object.entries(CRONS)) testUnaffected(name, act)
})

test('every database function that a Worker may call was called', () => {
  const all = new Set(roles.flatMap(({ functions }) => functions))
  expect([...all].filter((name) => !called.has(name))).toEqual([])
})

describe('the command', () => {
  for (const [name, run] of Object.entries(COMMANDS)) {
    const act: Act = async (me) => {
      await run(me, twin)
      await world.workers.scheduled('deliver-events') // a command wakes no Worker
    }
    // `apply` removes what a file does not name, including keys and webhook endpoints of the other mode.
    testUnaffected(name, act, { mayChangeLive: name === 'apply' })
  }

  /**
   * `clock` asks the local world to move a paywall's clock, as the act above does; `rekey` is below; `tickets attachment` only reads a
   * file.
   */
  const ELSEWHERE = ['clock', 'rekey', 'tickets attachment']

  test('has a case here for each of its verbs', async () => {
    const { commands } = JSON.parse((await paywall(world, ['help', '--json'])).out)
    const names = commands.map(({ name }: { name: string }) => name)
    expect([...Object.keys(COMMANDS), ...ELSEWHERE].toSorted()).toEqual(names.toSorted())
  })

  test('rekey seals the secrets of all owners again, and changes nothing else', async () => {
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

    /** The twin's rows with unsealed secrets. */
    async function readUnsealed() {
      const rows = await readTwinRows()
      const unsealTable = async (
        table: keyof typeof SEALED,
        context: (row: Record<string, string>) => string,
        key: string,
      ) =>
        Promise.all(
          rows[table]!.map(async (text) => {
            const row = JSON.parse(text)
            for (const column of SEALED[table]) row[column] &&= await unseal(row[column], key, context(row))
            return JSON.stringify(row)
          }),
        )
      return {
        ...rows,
        processor_accounts: await unsealTable(
          'processor_accounts',
          ({ paywall_id, acquiring }) => `processor:${paywall_id}:${acquiring}`,
          keys.PROCESSOR_CREDENTIALS_KEY,
        ),
        webhook_endpoints: await unsealTable(
          'webhook_endpoints',
          ({ url }) => `webhook:${url}`,
          keys.WEBHOOK_SECRETS_KEY,
        ),
        turnstile_keys: await unsealTable(
          'turnstile_keys',
          ({ paywall_id }) => `turnstile:${paywall_id}`,
          keys.TURNSTILE_SECRETS_KEY,
        ),
      }
    }
    const [before, sealed] = [await readUnsealed(), await readTwinRows()]
    const { code } = await paywall(world, ['rekey'], keys)
    expect(code).toBe(0)
    expect(Object.keys(changedRows(sealed, await readTwinRows())).toSorted()).toEqual(Object.keys(SEALED).toSorted())
    expect(changedRows(before, await readUnsealed())).toEqual({})
  })
})
