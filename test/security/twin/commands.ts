import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { paywall } from '../../support/paywall.ts'
import { newWebhookSecret, type Owner } from './owner.ts'
import { ANN, BOB, CARL, DORA } from './people.ts'

/** Runs a command, which must succeed. */
async function runCommand({ world }: Owner, ...args: string[]): Promise<void> {
  const { code, err, out } = await paywall(world, args, { DATABASE_ROLES_KEY: world.secrets.DATABASE_ROLES_KEY })
  if (code !== 0) throw new Error(`paywall ${args.join(' ')}: ${out}${err}`)
}

const folder = mkdtempSync(join(tmpdir(), 'twins-'))

/** The owner's file, with other fields. */
function fileWith({ written, id }: Owner, changes: object): string {
  const path = join(folder, `${id}.json`)
  writeFileSync(path, JSON.stringify({ ...written, ...changes }))
  return path
}

const users = (me: Owner, ...args: string[]) => runCommand(me, 'users', ...args, '--owner', me.email, '--test')

const grants = (me: Owner, ...args: string[]) =>
  runCommand(me, 'grants', ...args, '--paywall', me.shops.stripe.paywall.id)

/** The id of one of the owner's test events or webhook endpoints. */
async function firstId({ world, id }: Owner, table: 'events' | 'webhook_endpoints'): Promise<string> {
  const query = `select id from ${table} where owner_id = $1 and is_test order by created_at, id limit 1`
  const { rows } = await world.database.query<{ id: string }>(query, [id])
  return rows[0]!.id
}

/** Changes to the file: higher prices, another secret, fewer events, and no local prices. */
function edited({ written }: Owner) {
  const [webhook] = written.webhooks as [object]
  const paywalls = (written.paywalls as { prices: { amount: number }[] }[]).map((each) => ({
    ...each,
    name: 'Other',
    prices: each.prices.map((price) => ({ ...price, amount: price.amount + 1, locals: [] })),
  }))
  return { webhooks: [{ ...webhook, secret: newWebhookSecret(), events: ['payment.failed'] }], paywalls }
}

/** Runs of the `paywall` command for one owner, by subcommand. */
export const COMMANDS: Record<string, (me: Owner, other: Owner) => Promise<unknown>> = {
  plan: (me) => runCommand(me, 'plan', fileWith(me, edited(me))),
  apply: async (me) => {
    for (const changes of [edited(me), { webhooks: [], keys: [{ name: 'another' }] }, {}]) {
      await runCommand(me, 'apply', fileWith(me, changes), '--yes')
    }
  },
  migrate: (me) => runCommand(me, 'migrate'),
  'users sign-out': (me) => users(me, 'sign-out', ANN),
  'users set-email': async (me) => {
    await users(me, 'set-email', BOB, 'bobby@example.com')
    await users(me, 'set-email', 'bobby@example.com', BOB)
  },
  'users find': (me) => users(me, 'find', ANN),
  'users show': (me) => users(me, 'show', ANN),
  'users merge': async (me, other) => {
    await users(me, 'merge', CARL, BOB)
    const { user } = other.sessions[ANN]!
    await users(me, 'merge', user.id, BOB).catch(() => 'this owner has no user with that id')
  },
  'users export': (me) => users(me, 'export', ANN),
  'users erase': (me) => users(me, 'erase', BOB, '--yes'),
  'purchases end': async (me) => {
    const { rows } = await me.world.database.query<{ id: string }>(
      `select id from purchases where user_id = $1 and status not in ('canceled', 'refunded')`,
      [me.sessions[DORA]!.user.id],
    )
    for (const { id } of rows) await runCommand(me, 'purchases', 'end', id)
  },
  // Whether or not anything is left to refund.
  'purchases refund': async (me) => {
    const { rows } = await me.world.database.query<{ id: string }>(
      "select id from purchases where user_id = $1 and acquiring = 'stripe'",
      [me.sessions[DORA]!.user.id],
    )
    const variables = { PROCESSOR_API_BASES: JSON.stringify({ stripe: me.shops.stripe.emulator.url }) }
    for (const { id } of rows) await paywall(me.world, ['purchases', 'refund', id, '--amount', '0.01'], variables)
  },
  'grants give': (me) => grants(me, 'give', DORA, '--days', '9', '--reason', 'Friend', '--price', 'monthly'),
  'grants list': (me) => grants(me, 'list', DORA),
  'grants end': async (me, other) => {
    const ids = 'select id from grants where owner_id = $1 and paywall_id = $2 and ended_at is null'
    const paywallOf = ({ shops }: Owner) => shops.stripe.paywall.id
    const [mine, theirs] = [
      await me.world.database.query<{ id: string }>(ids, [me.id, paywallOf(me)]),
      await me.world.database.query<{ id: string }>(ids, [other.id, paywallOf(other)]),
    ]
    for (const { id } of mine.rows) await grants(me, 'end', id)
    for (const { id } of theirs.rows) await grants(me, 'end', id).catch(() => 'this paywall has no such grant')
  },
  'events list': (me) => runCommand(me, 'events', 'list', '--owner', me.email, '--test', '--state', 'delivered'),
  'events show': async (me) => runCommand(me, 'events', 'show', await firstId(me, 'events')),
  'events replay': async (me) => {
    await runCommand(me, 'events', 'replay', await firstId(me, 'events'))
    await runCommand(me, 'events', 'replay', '--since', '2026-01-01T00:00:00Z', '--owner', me.email, '--test')
  },
  'webhooks list': (me) => runCommand(me, 'webhooks', 'list', '--owner', me.email, '--test'),
  'webhooks disable': async (me) => runCommand(me, 'webhooks', 'disable', await firstId(me, 'webhook_endpoints')),
  'webhooks test': async (me) => {
    await runCommand(me, 'webhooks', 'enable', await firstId(me, 'webhook_endpoints'))
    await runCommand(me, 'webhooks', 'test', await firstId(me, 'webhook_endpoints'))
  },
  'webhooks rotate': async (me) => {
    const id = await firstId(me, 'webhook_endpoints')
    await me.world.database.query(
      'update webhook_endpoints set is_secret_generated = true, previous_secret_until = null where id = $1',
      [id],
    )
    await runCommand(me, 'webhooks', 'rotate', id)
  },
  'webhooks enable': async (me) => runCommand(me, 'webhooks', 'enable', await firstId(me, 'webhook_endpoints')),
  'tickets list': (me) => runCommand(me, 'tickets', 'list', '--paywall', me.shops.stripe.paywall.id),
  stats: (me) => runCommand(me, 'stats', '--owner', me.email, '--test', '--by', 'price'),
  'ledger verify': (me) => runCommand(me, 'ledger', 'verify'),
  types: (me) => runCommand(me, 'types', fileWith(me, {})),
  schema: (me) => runCommand(me, 'schema'),
}
