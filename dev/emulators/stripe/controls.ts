import * as z from 'zod'
import { type Controls, control } from '../core/controls.ts'
import type { StripeEmulator } from './emulator.ts'

const OfSubscription = z.strictObject({ subscription: z.string() })
const Renewal = z.strictObject({ subscription: z.string(), fail: z.boolean().default(false) })
const LatePayment = z.strictObject({ session: z.string(), email: z.email().optional() })
const Resolution = z.strictObject({ payment_intent: z.string(), fail: z.boolean().default(false) })
const OfPayment = z.strictObject({ payment_intent: z.string() })
const Refund = z.strictObject({ payment_intent: z.string(), amount: z.int().positive().optional() })
const OfEvent = z.strictObject({ event: z.string() })
const Nothing = z.strictObject({})

export const CONTROLS: Controls<StripeEmulator> = {
  'GET sessions': (emulator) => emulator.checkoutSessions,
  'GET subscriptions': (emulator) => emulator.subscriptions,
  'GET events': (emulator) => emulator.events,
  'GET calls': (emulator) => emulator.calls,
  'POST pay-later': control(LatePayment, (emulator, { session, email }) => emulator.payLater(session, email)),
  'POST resolve-payment': control(Resolution, (emulator, { payment_intent: payment, fail }) =>
    emulator.resolvePayment(payment, { fail }),
  ),
  'POST roll-over': control(OfSubscription, (emulator, { subscription }) => emulator.rollOver(subscription)),
  'POST renew': control(Renewal, (emulator, { subscription, fail }) => emulator.renew(subscription, { fail })),
  'POST mark-unpaid': control(OfSubscription, (emulator, { subscription }) => emulator.markUnpaid(subscription)),
  'POST end': control(OfSubscription, (emulator, { subscription }) => emulator.end(subscription)),
  'POST trial-will-end': control(OfSubscription, (emulator, { subscription }) => emulator.trialWillEnd(subscription)),
  'POST portal-cancel': control(OfSubscription, (emulator, { subscription }) => emulator.portalCancel(subscription)),
  'POST portal-undo': control(OfSubscription, (emulator, { subscription }) => emulator.portalUndo(subscription)),
  'POST refund': control(Refund, (emulator, body) => emulator.refund(body.payment_intent, body.amount)),
  'POST dispute': control(OfPayment, (emulator, body) => emulator.dispute(body.payment_intent)),
  'POST resend': control(OfEvent, (emulator, { event }) => emulator.resend(event)),
  'POST hold-webhooks': control(Nothing, (emulator) => emulator.holdWebhooks()),
  'POST send-held-webhooks': control(Nothing, (emulator) => emulator.sendHeldWebhooks()),
}
