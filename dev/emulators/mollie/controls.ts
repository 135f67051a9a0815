import * as z from 'zod'
import { type Controls, control } from '../core/controls.ts'
import type { MollieEmulator } from './emulator.ts'

const OfPayment = z.strictObject({ payment: z.string() })
const Resolution = z.strictObject({ payment: z.string(), fail: z.boolean().default(false) })
const Refund = z.strictObject({ payment: z.string(), amount: z.string().optional() })
const OfSubscription = z.strictObject({ subscription: z.string() })
const Renewal = z.strictObject({
  subscription: z.string(),
  fail: z.boolean().default(false),
  pending: z.boolean().default(false),
})
const Elapse = z.strictObject({ subscription: z.string(), days: z.int().positive() })
const Slow = z.strictObject({ slow: z.boolean() })
const OfEvent = z.strictObject({ event: z.string() })
const Nothing = z.strictObject({})

export const CONTROLS: Controls<MollieEmulator> = {
  'GET payments': (emulator) => emulator.payments,
  'GET subscriptions': (emulator) => emulator.subscriptions,
  'GET events': (emulator) => emulator.events,
  'GET calls': (emulator) => emulator.calls,
  'POST pay-later': control(OfPayment, (emulator, { payment }) => emulator.payLater(payment)),
  'POST resolve-payment': control(Resolution, (emulator, { payment, fail }) =>
    emulator.resolvePayment(payment, { fail }),
  ),
  'POST expire': control(OfPayment, (emulator, { payment }) => emulator.expire(payment)),
  'POST refund': control(Refund, (emulator, { payment, amount }) => emulator.refund(payment, amount)),
  'POST chargeback': control(OfPayment, (emulator, { payment }) => emulator.chargeback(payment)),
  'POST renew': control(Renewal, (emulator, { subscription, ...how }) => emulator.renew(subscription, how)),
  'POST suspend': control(OfSubscription, (emulator, { subscription }) => emulator.suspend(subscription)),
  'POST elapse': control(Elapse, (emulator, { subscription, days }) => emulator.elapse(subscription, days)),
  'POST slow-mandates': control(Slow, (emulator, { slow }) => {
    emulator.slowMandates = slow
  }),
  'POST forget-keys': control(Nothing, (emulator) => emulator.forgetKeys()),
  'POST resend': control(OfEvent, (emulator, { event }) => emulator.resend(event)),
  'POST hold-webhooks': control(Nothing, (emulator) => emulator.holdWebhooks()),
  'POST send-held-webhooks': control(Nothing, (emulator) => emulator.sendHeldWebhooks()),
}
