import { describe, expect, test } from 'vitest'
import { startSelling } from './selling.ts'

// Ends all charges of a subscription, and checks what is charged afterwards.

type Selling = Awaited<ReturnType<typeof startSelling>>

/** Each creates a subscription in this state, whose customer can pay every charge. */
const STATES: Record<string, (selling: Selling) => Promise<string>> = {
  paid: ({ subscribe }) => subscribe(),
  'on trial': ({ subscribe }) => subscribe({ trialDays: 7 }),
  async 'past due'({ emulator, subscribe }) {
    const id = await subscribe()
    await emulator.renew(id, { fail: true })
    return id
  },
  async unpaid({ emulator, subscribe }) {
    const id = await subscribe()
    await emulator.renew(id, { fail: true })
    await emulator.markUnpaid(id)
    return id
  },
  async paused({ emulator, subscribe }) {
    const id = await subscribe()
    await emulator.pause(id)
    return id
  },
  /** A period has begun, and its invoice is still a draft. */
  async 'about to be charged'({ emulator, subscribe }) {
    const id = await subscribe()
    await emulator.rollOver(id)
    return id
  },
  async 'past due and cancelled'({ emulator, subscribe }) {
    const id = await subscribe()
    await emulator.renew(id, { fail: true })
    await emulator.portalCancel(id)
    return id
  },
  async ended({ emulator, subscribe }) {
    const id = await subscribe()
    await emulator.end(id)
    return id
  },
}

/** How many charges have been paid, and how many invoices are still owed. */
function readMoney({ emulator }: Selling) {
  const { payments, invoices } = emulator.records
  return {
    charged: [...payments.values()].filter(({ status }) => status === 'paid').length,
    owed: [...invoices.values()].filter(({ status }) => status === 'draft' || status === 'open').length,
  }
}

async function readEnd({ look }: Selling, id: string) {
  const purchase = await look({ kind: 'subscription', id })
  return purchase && { status: purchase.status, cancelAtPeriodEnd: purchase.cancelAtPeriodEnd }
}

const AT_ONCE = { status: 'canceled', cancelAtPeriodEnd: false }

describe('stopCharging', () => {
  test.each([
    ['paid', { status: 'active', cancelAtPeriodEnd: true }],
    ['on trial', { status: 'trialing', cancelAtPeriodEnd: true }],
    ...['past due', 'unpaid', 'paused', 'about to be charged', 'ended'].map((state) => [state, AT_ONCE] as const),
    ['past due and cancelled', { status: 'canceled', cancelAtPeriodEnd: true }],
  ] as const)('stops all charges of a subscription that is %s', async (state, after) => {
    const selling = await startSelling()
    const id = await STATES[state]!(selling)
    const before = readMoney(selling)
    await selling.adapter.stopCharging?.(id)
    expect(await readEnd(selling, id)).toEqual(after)
    await selling.adapter.stopCharging?.(id)
    expect(readMoney(selling)).toEqual({ ...before, owed: 0 })
    await selling.passDays(70)
    expect(readMoney(selling)).toEqual({ ...before, owed: 0 })
    expect(await readEnd(selling, id)).toMatchObject({ status: 'canceled' })
  })

  test('keeps the period of a subscription that is paid just before its invoice is voided', async () => {
    const selling = await startSelling()
    const id = await STATES['past due']!(selling)
    selling.line.send = async (input, init) => {
      if (String(input).endsWith('/void')) await selling.emulator.renew(id)
      return fetch(input, init)
    }
    await selling.adapter.stopCharging?.(id)
    expect(await readEnd(selling, id)).toEqual({ status: 'active', cancelAtPeriodEnd: true })
    const paid = readMoney(selling)
    await selling.passDays(70)
    expect(readMoney(selling)).toEqual(paid)
  })

  test('ends a subscription at once if its next period begins just before its end is scheduled', async () => {
    const selling = await startSelling()
    const id = await STATES.paid!(selling)
    const before = readMoney(selling)
    let begun = false
    selling.line.send = async (input, init) => {
      if (init?.method === 'POST' && !begun) {
        begun = true
        await selling.emulator.rollOver(id)
      }
      return fetch(input, init)
    }
    await selling.adapter.stopCharging?.(id)
    expect(await readEnd(selling, id)).toMatchObject({ status: 'canceled' })
    await selling.passDays(70)
    expect(readMoney(selling)).toEqual(before)
  })

  test('fails while a payment of an invoice is in progress', async () => {
    const selling = await startSelling()
    const id = await STATES['past due']!(selling)
    const invoice = [...selling.emulator.records.invoices.values()].find(({ status }) => status === 'open')
    selling.emulator.failNext(`/v1/invoices/${invoice?.id}/void`, 400, {
      error: { type: 'invalid_request_error', message: 'in flight' },
    })
    await expect(selling.adapter.stopCharging?.(id)).rejects.toMatchObject({ name: 'ProcessorError', kind: 'rejected' })
    expect(await readEnd(selling, id)).toMatchObject({ status: 'past_due' })
    await selling.adapter.stopCharging?.(id)
    expect(await readEnd(selling, id)).toMatchObject({ status: 'canceled' })
  })
})

describe('endNow', () => {
  test.each(Object.keys(STATES))(
    'ends a subscription that is %s at once, and nothing is charged or owed afterwards',
    async (state) => {
      const selling = await startSelling()
      const id = await STATES[state]!(selling)
      const before = readMoney(selling)
      await selling.adapter.endNow?.(id)
      expect(await readEnd(selling, id)).toMatchObject({ status: 'canceled' })
      await selling.adapter.endNow?.(id)
      await selling.passDays(70)
      expect(readMoney(selling)).toEqual({ ...before, owed: 0 })
    },
  )
})

describe.each(['stopCharging', 'endNow'] as const)('%s', (ending) => {
  test.each(Object.keys(STATES))(
    'can be repeated after a crash at any point for a subscription that is %s',
    async (state) => {
      async function crashAfter(calls: number) {
        const selling = await startSelling()
        const id = await STATES[state]!(selling)
        const before = readMoney(selling)
        let left = calls
        selling.line.send = async (input, init) => {
          if (left-- > 0) return fetch(input, init)
          throw new Error('the Worker is gone')
        }
        const isDone = await selling.adapter[ending]!(id).then(
          () => true,
          () => false,
        )
        selling.line.send = fetch
        await selling.adapter[ending]?.(id)
        await selling.passDays(70)
        expect(readMoney(selling)).toEqual({ ...before, owed: 0 })
        expect(await readEnd(selling, id)).toMatchObject({ status: 'canceled' })
        return isDone
      }
      const done = await Promise.all(Array.from({ length: 10 }, (_, calls) => crashAfter(calls)))
      expect([done.at(0), done.at(-1)]).toEqual([false, true])
    },
  )

  test.each(Object.keys(STATES))('works with two concurrent callers for a subscription that is %s', async (state) => {
    const selling = await startSelling()
    const id = await STATES[state]!(selling)
    const before = readMoney(selling)
    await Promise.all([selling.adapter[ending]?.(id), selling.adapter[ending]?.(id)])
    await selling.passDays(70)
    expect(readMoney(selling)).toEqual({ ...before, owed: 0 })
    expect(await readEnd(selling, id)).toMatchObject({ status: 'canceled' })
  })
})
