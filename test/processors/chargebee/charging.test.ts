import { describe, expect, test } from 'vitest'
import { CHECKOUT_ID, startSelling } from './selling.ts'

// Ends all charges of a subscription, and checks what is charged afterwards.

type Selling = Awaited<ReturnType<typeof startSelling>>

/** Each creates a subscription in this state, whose customer can pay every charge. */
const STATES: Record<string, (selling: Selling) => Promise<unknown>> = {
  paid: ({ sell }) => sell(),
  'on trial': ({ sell }) => sell({ trialDays: 7 }),
  async 'past due'({ emulator, sell }) {
    await sell()
    await emulator.renew(CHECKOUT_ID, { fail: true })
  },
  async paused({ emulator, sell }) {
    await sell()
    await emulator.pause(CHECKOUT_ID)
  },
  async 'past due and cancelled'({ emulator, sell }) {
    await sell()
    await emulator.renew(CHECKOUT_ID, { fail: true })
    await emulator.portalCancel(CHECKOUT_ID)
  },
  async ended({ emulator, sell }) {
    await sell()
    await emulator.end(CHECKOUT_ID)
  },
}
const NAMES = Object.keys(STATES)

/** How many charges have been paid. */
const countCharges = ({ emulator }: Selling) =>
  [...emulator.records.payments.values()].filter(({ status }) => status === 'paid').length

const passMonths = ({ passTo, now }: Selling, months: number) =>
  passTo(new Date(now().getTime() + months * 31 * 24 * 3_600_000))

/** How many invoices are owed, also after the subscription has ended. */
const countOwedInvoices = async ({ chargebee }: Selling) => {
  const { list } = await chargebee.invoice.list({ subscription_id: { is: CHECKOUT_ID }, 'sort_by[asc]': 'date' })
  return list.filter(({ invoice }) => ['payment_due', 'not_paid', 'pending'].includes(invoice.status)).length
}

async function readEnd({ purchase }: Selling) {
  const { status, cancelAtPeriodEnd } = (await purchase())!
  return { status, cancelAtPeriodEnd }
}

const AT_ONCE = { status: 'canceled', cancelAtPeriodEnd: false }

describe('stopCharging', () => {
  test.each([
    ['paid', { status: 'active', cancelAtPeriodEnd: true }],
    ['on trial', { status: 'trialing', cancelAtPeriodEnd: true }],
    ...['past due', 'paused', 'past due and cancelled', 'ended'].map((state) => [state, AT_ONCE] as const),
  ] as const)('stops all charges of a subscription that is %s', async (state, after) => {
    const selling = await startSelling()
    await STATES[state]!(selling)
    const before = countCharges(selling)
    await selling.adapter.stopCharging?.(CHECKOUT_ID)
    expect(await readEnd(selling)).toEqual(after)
    await selling.adapter.stopCharging?.(CHECKOUT_ID)
    await passMonths(selling, 3)
    expect([countCharges(selling), await countOwedInvoices(selling)]).toEqual([before, 0])
    expect(await readEnd(selling)).toEqual(AT_ONCE)
  })

  /** Starts a subscription in this state, and runs `change` just before the first call of this path. */
  async function startWithChangeBefore(state: string, path: string, change: (selling: Selling) => Promise<unknown>) {
    let isChanged = false
    const selling = await startSelling({
      async fetch(input, init) {
        if (String(input).endsWith(path) && !isChanged) {
          isChanged = true
          await change(selling)
        }
        return fetch(input, init)
      },
    })
    await STATES[state]!(selling)
    return selling
  }

  test('keeps the term of a subscription that is paid just before its invoice is voided', async () => {
    const selling = await startWithChangeBefore('past due', '/void', ({ emulator }) => emulator.renew(CHECKOUT_ID))
    await selling.adapter.stopCharging?.(CHECKOUT_ID)
    expect(await readEnd(selling)).toEqual({ status: 'active', cancelAtPeriodEnd: true })
    const before = countCharges(selling)
    await passMonths(selling, 3)
    expect([countCharges(selling), await countOwedInvoices(selling)]).toEqual([before, 0])
  })

  test('ends a subscription at once if its next charge fails just before its end is scheduled', async () => {
    const selling = await startWithChangeBefore('paid', '/cancel_for_items', ({ emulator }) =>
      emulator.renew(CHECKOUT_ID, { fail: true }),
    )
    await selling.adapter.stopCharging?.(CHECKOUT_ID)
    expect(await readEnd(selling)).toEqual(AT_ONCE)
    const before = countCharges(selling)
    await passMonths(selling, 3)
    expect([countCharges(selling), await countOwedInvoices(selling)]).toEqual([before, 0])
  })

  test('fails while a payment of an invoice is in progress', async () => {
    const selling = await startSelling()
    await STATES['past due']!(selling)
    const due = [...selling.emulator.records.invoices.values()].find(({ status }) => status === 'open')
    const error = { api_error_code: 'invalid_state_for_request', message: 'in progress' }
    selling.emulator.failNext(
      `/api/v2/invoices/${encodeURIComponent(due?.id ?? '').replaceAll('%2F', '/')}/void`,
      400,
      error,
    )
    const ending = selling.adapter.stopCharging?.(CHECKOUT_ID)
    await expect(ending).rejects.toMatchObject({ name: 'RestError', kind: 'rejected' })
    expect(await readEnd(selling)).toMatchObject({ status: 'past_due' })
    await selling.adapter.stopCharging?.(CHECKOUT_ID)
    expect(await readEnd(selling)).toEqual(AT_ONCE)
  })
})

describe('endNow', () => {
  test.each(NAMES)(
    'ends a subscription that is %s at once, and nothing is charged or owed afterwards',
    async (state) => {
      const selling = await startSelling()
      await STATES[state]!(selling)
      const before = countCharges(selling)
      await selling.adapter.endNow?.(CHECKOUT_ID)
      expect(await readEnd(selling)).toEqual(AT_ONCE)
      await selling.adapter.endNow?.(CHECKOUT_ID)
      await passMonths(selling, 3)
      expect([countCharges(selling), await countOwedInvoices(selling)]).toEqual([before, 0])
    },
  )
})

describe.each(['stopCharging', 'endNow'] as const)('%s', (ending) => {
  test.each(NAMES)('can be repeated after a crash at any point for a subscription that is %s', async (state) => {
    async function crashAfter(calls: number) {
      let left = Number.POSITIVE_INFINITY
      const selling = await startSelling({
        async fetch(input, init) {
          if (left-- > 0) return fetch(input, init)
          throw new Error('the Worker is gone')
        },
      })
      await STATES[state]!(selling)
      const before = countCharges(selling)
      left = calls
      const isDone = await selling.adapter[ending]!(CHECKOUT_ID).then(
        () => true,
        () => false,
      )
      left = Number.POSITIVE_INFINITY
      await selling.adapter[ending]?.(CHECKOUT_ID)
      await passMonths(selling, 3)
      expect([countCharges(selling), await countOwedInvoices(selling)]).toEqual([before, 0])
      expect(await readEnd(selling)).toEqual(AT_ONCE)
      return isDone
    }
    const done = await Promise.all(Array.from({ length: 10 }, (_, calls) => crashAfter(calls)))
    expect([done.at(0), done.at(-1)]).toEqual([false, true])
  })

  test.each(NAMES)('works with two concurrent callers for a subscription that is %s', async (state) => {
    const selling = await startSelling()
    await STATES[state]!(selling)
    const before = countCharges(selling)
    await Promise.all([selling.adapter[ending]?.(CHECKOUT_ID), selling.adapter[ending]?.(CHECKOUT_ID)])
    await passMonths(selling, 3)
    expect([countCharges(selling), await countOwedInvoices(selling)]).toEqual([before, 0])
    expect(await readEnd(selling)).toEqual(AT_ONCE)
  })
})
