import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { EMULATORS, type Emulators } from '../../dev/emulators/emulators.ts'
import { readPurchase } from '../../functions/processors/read-purchase.ts'
import { ADAPTERS } from '../../lib/processors/adapters.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { newEmail, press } from '../support/checkout.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { getAccountControls } from './drivers/drivers.ts'
import { invoicesWhileUnpaid } from './drivers/dunning.ts'
import { keepsUnpaid, pauses } from './drivers/pausing.ts'
import { callsChargesBack, chargesNextPeriod, schedulesPlans, voidsInvoices } from './drivers/stopping.ts'
import { paywallAt } from './shop.ts'

// An adapter ends all charges of a subscription: what is charged afterwards, also after a crash or with two callers. Its customer can
// pay every charge.

type Ending = 'stopCharging' | 'endNow' | 'cancelAtPeriodEnd'
type Selling = Awaited<ReturnType<typeof startAdapter>>

/** An adapter with its own emulator, until the test ends. `line.send` makes each call. */
async function startAdapter(acquiring: ProcessorName) {
  const file = await paywallFile({ paywalls: [paywallAt(acquiring)] })
  const paywall = file.paywalls[0]!
  const accept: typeof fetch = async () => new Response(null, { status: 204 })
  const options = { port: 0, files: () => [file], serviceUrl: () => 'http://service.example', fetch: accept }
  const emulator = (await EMULATORS[acquiring].start(options)) as Emulators[typeof acquiring]
  onTestFinished(() => emulator.close())
  const account = getAccountControls({ [acquiring]: emulator } as unknown as Emulators, paywall)
  const line = { send: fetch }
  const send: typeof fetch = (input, init) => line.send(input, init)
  const now = () => new Date(emulator.currentTime(paywall.id) * 1000)
  const adapter = await ADAPTERS[acquiring](paywall.processor.credentials as never, {
    base: emulator.url,
    isTest: true,
    fetch: send,
    now,
  })

  /** Sells a subscription on its page. */
  async function subscribe(slug: 'monthly' | 'yearly'): Promise<string> {
    const price = paywall.prices.find((each) => each.slug === slug)!
    const { url } = await adapter.openCheckout({
      key: randomUUID(),
      checkoutId: randomUUID(),
      paywallId: paywall.id,
      userId: randomUUID(),
      email: newEmail(),
      customer: null,
      customers: {},
      processorPrice: price.processor_price,
      currency: price.currency,
      amount: price.amount,
      quantity: 1,
      recurring: { interval: price.interval!, intervalCount: price.interval_count! },
      trialDays: price.trial_days,
      options: {},
      successUrl: 'https://pay.example/success',
      errorUrl: 'https://pay.example/error',
    })
    await press(url, 'pay')
    return account.sales().at(-1)!.processorId
  }
  const readSnapshot = async (id: string) =>
    (await readPurchase(adapter, paywall.id, { kind: 'subscription', id }, now)).purchase
  /** How many charges have been paid, and how many invoices are owed, at processors that charge by invoice. */
  function readMoney() {
    const [payments, invoices] = [[...emulator.records.payments.values()], [...emulator.records.invoices.values()]]
    const owed = invoicesWhileUnpaid(acquiring)
      ? invoices.filter(({ status }) => status === 'draft' || status === 'open')
      : []
    return { charged: payments.filter(({ status }) => status === 'paid').length, owed: owed.length }
  }
  const passDays = (days: number) => emulator.moveTo(paywall.id, emulator.currentTime(paywall.id) + days * 86_400)
  return { acquiring, emulator, account, line, adapter, subscribe, readSnapshot, readMoney, passDays }
}

interface State {
  /** Whether a subscription can be in this state. Default: at every processor. */
  isPossible?(acquiring: ProcessorName): boolean
  slug?: 'yearly'
  /** Not called before the subscription was read, unless `isUnread`. */
  change?(selling: Selling, id: string): Promise<unknown>
  /** One processor has no subscription before its first payment was read. */
  isUnread?: true
  /** The status after `stopCharging`, where the paid time is kept. Otherwise it is canceled. */
  keeps?(acquiring: ProcessorName): 'active' | 'trialing' | null
  /** What else can end it. */
  endings?: Ending[]
}

const keepsTrial = (acquiring: ProcessorName) =>
  DEFINITIONS[acquiring].capabilities.cancelledTrial === 'continues to its end' ? 'trialing' : null

const STATES: Record<string, State> = {
  paid: { keeps: () => 'active' },
  'on trial': { slug: 'yearly', keeps: keepsTrial },
  cancelled: { change: ({ account }, id) => account.cancel(id), keeps: () => 'active' },
  'past due': {
    change: ({ account }, id) => account.failCharge(id),
    keeps: (acquiring) => (chargesNextPeriod(acquiring) ? 'active' : null),
  },
  'on a trial whose charge failed': {
    slug: 'yearly',
    change: ({ account }, id) => account.failCharge(id),
    keeps: (acquiring) => (chargesNextPeriod(acquiring) ? 'trialing' : null),
  },
  'past due and cancelled': {
    isPossible: invoicesWhileUnpaid,
    async change({ account }, id) {
      await account.failCharge(id)
      await account.cancel(id)
    },
  },
  unpaid: {
    isPossible: keepsUnpaid,
    async change({ account, emulator }, id) {
      await account.failCharge(id)
      if ('markUnpaid' in emulator) await emulator.markUnpaid(id)
    },
  },
  paused: { isPossible: pauses, change: ({ account }, id) => account.pause!(id) },
  /** A period has begun, and its invoice is still a draft. */
  'about to be charged': { isPossible: callsChargesBack, change: ({ account }, id) => account.rollOver!(id) },
  ended: {
    isPossible: (acquiring) => DEFINITIONS[acquiring].capabilities.supportsImmediateEnd,
    change: ({ account }, id) => account.end!(id),
  },
  'scheduled to change its plan': {
    isPossible: schedulesPlans,
    change: ({ account }, id) => account.schedulePlan!(id),
    keeps: () => 'active',
    endings: ['cancelAtPeriodEnd'],
  },
  'not read yet': { isUnread: true, keeps: () => 'active' },
}

/** Starts a subscription in a state. `end` ends it; `expectNoMoreCharges` checks what follows. */
async function begin(acquiring: ProcessorName, { slug, isUnread, change }: State) {
  const selling = await startAdapter(acquiring)
  const { adapter, account, readSnapshot, readMoney, passDays } = selling
  const id = await selling.subscribe(slug ?? 'monthly')
  if (!isUnread) await readSnapshot(id)
  await change?.(selling, id)
  const [before, { plan }] = [readMoney(), account.sales().at(-1)!]
  const end = (ending: Ending) => adapter[ending]!(id, 'too expensive')
  async function expectNoMoreCharges() {
    expect(readMoney()).toEqual({ ...before, owed: 0 })
    await passDays(70)
    expect(readMoney()).toEqual({ ...before, owed: 0 })
    expect(await readSnapshot(id)).toMatchObject({ status: 'canceled' })
    expect(account.sales().at(-1)).toMatchObject({ plan })
  }
  return { ...selling, id, end, expectNoMoreCharges }
}

const getStates = (acquiring: ProcessorName) =>
  Object.entries(STATES).filter(([, { isPossible }]) => isPossible?.(acquiring) ?? true)

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  const states = getStates(acquiring)
  const endings = states.flatMap(([name, state]) =>
    (['stopCharging', 'endNow', ...(state.endings ?? [])] as const).map((ending) => [ending, name, state] as const),
  )

  test.each(states)('stopCharging keeps the paid time of a subscription that is %s, or ends it', async (_, state) => {
    const { id, end, readSnapshot, expectNoMoreCharges } = await begin(acquiring, state)
    await end('stopCharging')
    const [kept, after] = [state.keeps?.(acquiring), await readSnapshot(id)]
    expect(after).toMatchObject(
      kept ? { status: kept, cancelAtPeriodEnd: true, cancelAt: after?.currentPeriodEnd } : { status: 'canceled' },
    )
    await end('stopCharging')
    expect(await readSnapshot(id)).toEqual(after)
    await expectNoMoreCharges()
  })

  test.each(states)('endNow ends a subscription that is %s', async (_, state) => {
    const { id, end, readSnapshot, expectNoMoreCharges } = await begin(acquiring, state)
    await end('endNow')
    // One processor deletes its subscription, and our period continues.
    if (!chargesNextPeriod(acquiring)) expect(await readSnapshot(id)).toMatchObject({ status: 'canceled' })
    await end('endNow')
    await expectNoMoreCharges()
  })

  test.each(endings)('%s works with two concurrent callers for a subscription that is %s', async (ending, _, state) => {
    const { end, expectNoMoreCharges } = await begin(acquiring, state)
    await Promise.all([end(ending), end(ending)])
    await expectNoMoreCharges()
  })

  test.each(endings)(
    '%s can be repeated after a crash at any point for a subscription that is %s',
    async (ending, _, state) => {
      async function crashAfter(calls: number) {
        const { line, end, expectNoMoreCharges } = await begin(acquiring, state)
        let left = calls
        line.send = async (...call) => {
          if (left-- > 0) return fetch(...call)
          throw new Error('the Worker is gone')
        }
        const isDone = await end(ending).then(
          () => true,
          () => false,
        )
        line.send = fetch
        await end(ending)
        await expectNoMoreCharges()
        return isDone
      }
      const done = await Promise.all(Array.from({ length: 14 }, (_, calls) => crashAfter(calls)))
      expect([done.at(0), done.at(-1)]).toEqual([false, true])
    },
  )
})

describe.each(PROCESSOR_NAMES.filter(voidsInvoices))('%s', (acquiring) => {
  test('stopCharging ends a subscription whose next charge begins just before its end is scheduled', async () => {
    const { account, line, id, end, readSnapshot, passDays, readMoney } = await begin(acquiring, STATES.paid!)
    const { charged } = readMoney()
    let begun = false
    line.send = async (input, init) => {
      if (init?.method === 'POST' && !begun) {
        begun = true
        await (account.rollOver ?? account.failCharge)(id)
      }
      return fetch(input, init)
    }
    await end('stopCharging')
    expect(await readSnapshot(id)).toMatchObject({ status: 'canceled' })
    await passDays(70)
    expect(readMoney()).toEqual({ charged, owed: 0 })
  })

  /** Refuses to void invoices, as while a payment is in progress, until `line.send` is set again. */
  async function beginRefusing(state: State) {
    const begun = await begin(acquiring, state)
    const refusal = { error: { type: 'invalid_request_error' }, api_error_code: 'invalid_state_for_request' }
    begun.line.send = async (input, init) =>
      String(input).endsWith('/void') ? Response.json(refusal, { status: 400 }) : fetch(input, init)
    return begun
  }

  const owing = getStates(acquiring).filter(([name]) => ['past due', 'unpaid', 'about to be charged'].includes(name))

  test.each(owing)(
    'no period follows while no invoice can be voided, of a subscription that is %s',
    async (_, state) => {
      const { emulator, line, id, end, readSnapshot, passDays } = await beginRefusing(state)
      const readInvoices = () => [...emulator.records.invoices.keys()]
      await expect(end('stopCharging')).rejects.toMatchObject({ kind: 'rejected' })
      const invoices = readInvoices()
      expect(await readSnapshot(id)).toMatchObject({ cancelAtPeriodEnd: true })
      await passDays(70)
      expect(readInvoices()).toEqual(invoices)
      line.send = fetch
      await end('stopCharging')
      expect(await readSnapshot(id)).toMatchObject({ status: 'canceled' })
    },
  )

  test.each(owing)(
    'stopCharging can be repeated once invoices can be voided, of a subscription that is %s',
    async (_, state) => {
      const { line, end, expectNoMoreCharges } = await beginRefusing(state)
      await expect(end('stopCharging')).rejects.toMatchObject({ kind: 'rejected' })
      line.send = fetch
      await end('stopCharging')
      await expectNoMoreCharges()
    },
  )

  test.each(owing)('endNow ends a subscription that is %s although its invoices cannot be voided', async (_, state) => {
    const { line, id, end, readSnapshot, expectNoMoreCharges } = await beginRefusing(state)
    await expect(end('endNow')).rejects.toMatchObject({ kind: 'rejected' })
    expect(await readSnapshot(id)).toMatchObject({ status: 'canceled' })
    line.send = fetch
    await end('endNow')
    await expectNoMoreCharges()
  })
})
