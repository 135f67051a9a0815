import * as z from 'zod'
import type { StripeEmulator } from './emulator.ts'
import { StripeError } from './errors.ts'
import type { Answer, HttpRequest } from './server.ts'

const OfSubscription = z.strictObject({ subscription: z.string() })
const Renewal = z.strictObject({ subscription: z.string(), fail: z.boolean().default(false) })
const LatePayment = z.strictObject({ session: z.string(), email: z.email().optional() })
const OfPayment = z.strictObject({ payment_intent: z.string() })
const Refund = z.strictObject({ payment_intent: z.string(), amount: z.int().positive().optional() })
const OfEvent = z.strictObject({ event: z.string() })
const Nothing = z.strictObject({})

type Control = (emulator: StripeEmulator, body: unknown) => unknown

/** What a person can make happen with curl, by the last part of `/_emulator/…`, and what the body names. */
const controls: Record<string, Control> = {
  'GET sessions': (emulator) => emulator.sessions,
  'GET subscriptions': (emulator) => emulator.subscriptions,
  'GET events': (emulator) => emulator.events,
  'GET calls': (emulator) => emulator.calls,
  'POST pay-later': control(LatePayment, (emulator, { session, email }) => emulator.payLater(session, email)),
  'POST roll-over': control(OfSubscription, (emulator, { subscription }) => emulator.rollOver(subscription)),
  'POST renew': control(Renewal, (emulator, { subscription, fail }) => emulator.renew(subscription, { fail })),
  'POST end': control(OfSubscription, (emulator, { subscription }) => emulator.end(subscription)),
  'POST trial-will-end': control(OfSubscription, (emulator, { subscription }) => emulator.trialWillEnd(subscription)),
  'POST portal-cancel': control(OfSubscription, (emulator, { subscription }) => emulator.portalCancel(subscription)),
  'POST portal-undo': control(OfSubscription, (emulator, { subscription }) => emulator.portalUndo(subscription)),
  'POST refund': control(Refund, (emulator, body) => emulator.refund(body.payment_intent, body.amount)),
  'POST dispute': control(OfPayment, (emulator, body) => emulator.dispute(body.payment_intent)),
  'POST resend': control(OfEvent, (emulator, { event }) => emulator.resend(event)),
  'POST hold-webhooks': control(Nothing, (emulator) => emulator.holdWebhooks()),
  'POST release-webhooks': control(Nothing, (emulator) => emulator.releaseWebhooks()),
}

/** Each control as it is asked for. */
export const CONTROLS = Object.keys(controls).map((name) => name.replace(' ', ' /_emulator/'))

export async function answerControl(emulator: StripeEmulator, request: HttpRequest): Promise<Answer> {
  const run = controls[`${request.method} ${request.path.replace('/_emulator/', '')}`]
  if (!run) return json(404, { error: 'unknown_control', controls: Object.keys(controls) })
  try {
    return json(200, (await run(emulator, readJson(request.body))) ?? {})
  } catch (error) {
    if (error instanceof StripeError) return json(error.status, { error: error.message })
    if (error instanceof z.ZodError) return json(400, { error: z.prettifyError(error) })
    throw error
  }
}

function control<Body extends z.ZodType>(
  schema: Body,
  run: (emulator: StripeEmulator, body: z.output<Body>) => unknown,
): Control {
  return (emulator, body) => run(emulator, schema.parse(body))
}

function readJson(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw new StripeError(400, { type: 'invalid_request_error', message: 'The body is not JSON.' })
  }
}

const json = (status: number, body: unknown): Answer => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: `${JSON.stringify(body, null, 2)}\n`,
})
