import * as z from 'zod'
import type { Emulator } from '../emulator.ts'
import type { AnyEvent } from '../processor.ts'
import type { Store } from '../store.ts'
import type { RecordControl } from './controls.ts'
import { type HttpControls, httpControl, kebab, recordControl } from './http-controls.ts'

interface Has {
  lists: Record<string, unknown>
  controls: Record<string, RecordControl>
  switches: readonly string[]
}

const Nothing = z.strictObject({})
const OfEvent = z.strictObject({ event: z.string() })
const Declines = z.strictObject({ customer: z.string(), declines: z.boolean().default(true) })

/** All HTTP controls of an emulator: those of its processor, and those that every emulator has. */
export function createHttpControls(
  { lists, controls, switches }: Has,
  emulator: Emulator<AnyEvent, unknown>,
  store: Store,
): HttpControls {
  const shown = Object.keys(lists).map((name) => [`GET ${kebab(name)}`, () => Reflect.get(emulator, name)])
  const ofRecords = Object.entries(controls).map(([name, control]) => [
    `POST ${kebab(name)}`,
    recordControl(store, control),
  ])
  const switched = switches.map((name) => [`POST ${kebab(name)}`, findSwitch(name, emulator)])
  return {
    ...Object.fromEntries(shown),
    'GET events': () => emulator.events,
    'GET calls': () => emulator.calls,
    ...Object.fromEntries([...ofRecords, ...switched]),
    'POST decline-charges': httpControl(Declines, ({ customer, declines }) =>
      emulator.declineCharges(customer, declines),
    ),
    'POST forget-keys': httpControl(Nothing, () => emulator.forgetKeys()),
    'POST resend': httpControl(OfEvent, ({ event }) => emulator.resend(event)),
    'POST hold-webhooks': httpControl(Nothing, () => emulator.holdWebhooks()),
    'POST send-held-webhooks': httpControl(Nothing, () => emulator.sendHeldWebhooks()),
  }
}

/** `{"slow": true}` switches `slowMandates` on. */
function findSwitch(name: string, emulator: object) {
  const [field = name] = kebab(name).split('-')
  return httpControl(z.strictObject({ [field]: z.boolean() }), (body) => void Reflect.set(emulator, name, body[field]))
}
