import * as z from 'zod'
import type { Emulator } from '../emulator.ts'
import type { Store } from '../store.ts'
import type { RecordControl } from './controls.ts'
import { byHand, type HandControls, kebab, recordByHand } from './hand-controls.ts'

interface Has {
  lists: Record<string, unknown>
  controls: Record<string, RecordControl>
  switches: readonly string[]
}

const Nothing = z.strictObject({})
const OfEvent = z.strictObject({ event: z.string() })
const Declines = z.strictObject({ customer: z.string(), declines: z.boolean().default(true) })

/** All that can be done by hand at an emulator: what the processor has, and what every emulator has. */
export function controlsByHand<Event, Body>(
  { lists, controls, switches }: Has,
  emulator: Emulator<Event, Body>,
  store: Store,
): HandControls {
  const shown = Object.keys(lists).map((name) => [`GET ${kebab(name)}`, () => Reflect.get(emulator, name)])
  const ofRecords = Object.entries(controls).map(([name, control]) => [
    `POST ${kebab(name)}`,
    recordByHand(store, control),
  ])
  const switched = switches.map((name) => [`POST ${kebab(name)}`, findSwitch(name, emulator)])
  return {
    ...Object.fromEntries(shown),
    'GET events': () => emulator.events,
    'GET calls': () => emulator.calls,
    ...Object.fromEntries([...ofRecords, ...switched]),
    'POST decline-charges': byHand(Declines, ({ customer, declines }) => emulator.declineCharges(customer, declines)),
    'POST forget-keys': byHand(Nothing, () => emulator.forgetKeys()),
    'POST resend': byHand(OfEvent, ({ event }) => emulator.resend(event)),
    'POST hold-webhooks': byHand(Nothing, () => emulator.holdWebhooks()),
    'POST send-held-webhooks': byHand(Nothing, () => emulator.sendHeldWebhooks()),
  }
}

/** `slowMandates` is switched by `{"slow": true}`. */
function findSwitch(name: string, emulator: object) {
  const [field = name] = kebab(name).split('-')
  return byHand(z.strictObject({ [field]: z.boolean() }), (body) => void Reflect.set(emulator, name, body[field]))
}
