// `paywall purchases refund`: returns money of a purchase's latest payment, as the endpoint refund-purchase does:
// 1. claim the refund in the database
// 2. make it at the processor, with the credentials that the database has
// 3. record what came of it. The reconcile cron then reads the purchase, and the owner gets the event
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { unseal } from '../lib/crypto/seal.ts'
import { toDecimalText, toMinorUnits } from '../lib/money/money.ts'
import { accountContext, accountTime } from '../lib/processors/account.ts'
import { ADAPTERS } from '../lib/processors/adapters.ts'
import { ApiBases } from '../lib/processors/api-bases.ts'
import { DEFINITIONS } from '../lib/processors/definitions.ts'
import { ProcessorError, type RefundResult } from '../lib/processors/processor.ts'
import { PROCESSOR_NAMES } from '../lib/processors/processor-name.ts'
import { type ClaimedRefund, toRefundOrder } from '../lib/purchases/refund-order.ts'
import { CommandError, type CommandResult, required, sealingKeys } from './command.ts'
import { activateRelease, type Database, inRelease, withDatabase } from './database.ts'
import { enterLocalWorld } from './local-world.ts'
import { isLocalHost } from './paywall-file/service-hosts.ts'

interface RefundOptions {
  /** In major units, such as `4.99`. Absent: all that is left of the payment. */
  amount?: string | undefined
  reason?: string | undefined
}

type Claim = { verdict: string; available?: number; refund?: ClaimedRefund }

/** Refunds the latest payment of a purchase. Throws a `CommandError` if nothing was refunded, or if that is unknown. */
export async function refundPurchase(id: string, { amount, reason }: RefundOptions): Promise<CommandResult> {
  if (reason !== undefined && (reason === '' || reason.length > 500)) {
    throw new CommandError(['--reason must be a text of at most 500 characters'])
  }
  enterLocalWorld()
  refuseEmulated()
  const keys = sealingKeys().processorCredentialsKey
  return withDatabase(required('DATABASE_URL'), async (db) => {
    const purchase = await findPurchase(db, id)
    const holder = randomUUID()
    const minor = amount === undefined ? null : parseAmount(amount, purchase.currency)
    const refund = await claim(db, purchase, holder, minor, reason ?? null)
    const result = await request(db, holder, refund, keys)
    const { id: processorRefund, amount: returned, fact } = result
    const kept = fact && JSON.stringify({ ...fact, occurred_at: fact.occurredAt })
    await inRelease(
      db,
      sql`accept_refund(${refund.owner_id}, ${refund.id}, ${processorRefund}, ${returned}, ${kept}::jsonb)`,
    )
    const money = `${toDecimalText(returned, refund.currency)} ${refund.currency}`
    const state = fact ? 'Within a minute the purchase and its events show it.' : 'The processor is returning it.'
    const json = { id, refund: refund.id, amount: returned, currency: refund.currency, pending: fact === null }
    return { text: `${money} of the latest payment of purchase ${id} is refunded. ${state}`, json }
  })
}

/** The processors of a local world are emulators, whose addresses the command does not know. The real ones must not be called instead. */
function refuseEmulated(): void {
  if (process.env.PROCESSOR_API_BASES || !isLocalHost(URL.parse(required('DATABASE_URL'))?.hostname ?? '')) return
  throw new CommandError([
    'the database is local, so its processors are emulators: set PROCESSOR_API_BASES to their addresses',
  ])
}

async function findPurchase(db: Database, id: string) {
  const purchase = await db.transaction().execute(async (transaction) => {
    await activateRelease(transaction)
    return transaction
      .selectFrom('purchases')
      .innerJoin('paywalls', 'paywalls.id', 'purchases.paywall_id')
      .select(['purchases.id', 'purchases.paywall_id', 'purchases.currency', 'paywalls.owner_id'])
      .where('purchases.id', '=', sql<string>`as_uuid(${id})`)
      .executeTakeFirst()
  })
  if (!purchase) throw new CommandError([`there is no purchase ${id}`])
  return purchase
}

function parseAmount(text: string, currency: string): number {
  const wrong = new CommandError([`--amount must be an amount in ${currency}, such as ${toDecimalText(499, currency)}`])
  if (!/^\d{1,12}(\.\d{1,4})?$/.test(text) || Number(text) === 0) throw wrong
  try {
    return toMinorUnits(Number(text), currency)
  } catch (error) {
    if (error instanceof RangeError) throw wrong
    throw error
  }
}

async function claim(
  db: Database,
  { id, paywall_id, owner_id }: Awaited<ReturnType<typeof findPurchase>>,
  holder: string,
  amount: number | null,
  reason: string | null,
): Promise<ClaimedRefund> {
  const capabilities = PROCESSOR_NAMES.map((name) => [name, DEFINITIONS[name].capabilities.refunds])
  const offered = JSON.stringify(Object.fromEntries(capabilities))
  // The key is random, so no other call has it, and the hash of its request is never compared.
  const call = sql`begin_refund(${owner_id}, ${paywall_id}, ${randomUUID()}, ${'0'.repeat(64)}, ${holder}, ${id}, null, ${amount}, ${reason},
    ${offered}::jsonb)`
  const { verdict, available = 0, refund } = await inRelease<Claim>(db, call)
  if (refund === undefined)
    throw new CommandError([`${id} was not refunded: ${REFUSALS[verdict] ?? verdict}`, ...left(verdict, available)])
  return refund
}

const REFUSALS: Record<string, string> = {
  unsupported: 'its processor has no API for refunds',
  pending: 'its payment has not arrived yet',
  nothing_paid: 'no payment of it has succeeded',
  disputed: 'its latest payment is disputed',
  refunded: 'nothing is left of its latest payment',
  too_much: 'less is left of its latest payment',
}

const left = (verdict: string, available: number) =>
  verdict === 'too_much' ? [`${available} minor units are left`] : []

/** Refunds at the processor. Throws a `CommandError` if it has refused, or did not respond. */
async function request(db: Database, holder: string, refund: ClaimedRefund, keys: string) {
  const giveUp = (isRefused: boolean, hasAnswered: boolean) =>
    inRelease(db, sql`give_up_refund(${refund.owner_id}, ${refund.id}, ${holder}, ${isRefused}, ${hasAnswered})`)
  let result: RefundResult | null | undefined
  try {
    result = await (await openAdapter(refund, keys)).refundPayment?.(toRefundOrder(refund))
  } catch (error) {
    if (!(error instanceof ProcessorError)) throw error
    const isRefused = error.kind !== 'unavailable'
    await giveUp(isRefused, error.answered)
    const outcome = isRefused ? 'nothing was refunded' : 'it is unknown whether it was refunded: look at the processor'
    throw new CommandError([`${error.message}: ${outcome}`], { cause: error })
  }
  if (result?.outcome === 'refunded') return result
  await giveUp(true, true)
  throw new CommandError([`the processor refused the refund: ${describe(result)}`])
}

function describe(result: Exclude<RefundResult, { outcome: 'refunded' }> | null | undefined): string {
  if (!result) return 'it has no API for refunds'
  switch (result.outcome) {
    case 'too_large':
      return `${result.left} minor units are left of the payment there`
    case 'disputed':
      return 'the payment is disputed'
    case 'not_settled':
      return 'the payment has not arrived yet'
  }
}

async function openAdapter({ account }: ClaimedRefund, keys: string) {
  const base = ApiBases.parse(process.env.PROCESSOR_API_BASES ?? '')[account.acquiring] ?? null
  const credentials: unknown = JSON.parse(await unseal(account.credentials, keys, accountContext(account)))
  return ADAPTERS[account.acquiring](credentials, {
    base,
    isTest: account.isTest,
    fetch,
    now: () => accountTime(account),
  })
}
