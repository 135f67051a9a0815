import type { CheckoutOrder, PlanChange } from '../../lib/processors/processor.ts'

/** An order of a price of 9.99 a month. `own`: what differs at a processor or in a test. */
export const monthlyOrder = (
  own: Pick<CheckoutOrder, 'checkoutId' | 'processorPrice'> & Partial<CheckoutOrder>,
): CheckoutOrder => ({
  key: `${own.checkoutId}:1`,
  paywallId: '1001',
  userId: 'user_1',
  email: 'ada@example.com',
  customer: null,
  customers: {},
  currency: 'USD',
  amount: 999,
  quantity: 1,
  recurring: { interval: 'month', intervalCount: 1 },
  trialDays: 0,
  options: {},
  successUrl: 'https://pay.example/r/1/success',
  errorUrl: 'https://pay.example/r/1/error',
  ...own,
})

/** A change of a subscription's plan at once. `own`: what differs in a test. */
export const planChange = (
  own: Pick<PlanChange, 'subscriptionId' | 'to' | 'pricedAt'> & Partial<PlanChange>,
): PlanChange => ({ key: 'change_1', when: 'now', options: {}, ...own })
