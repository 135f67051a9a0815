import { movePaywallClock } from '../../dev/world/clock/paywall-clock.ts'
import type { TestWorld } from './world.ts'

const MINUTE_MS = 60_000

/** Advances the clock of a world's paywall to `minutes` after `time`, or up to a minute less. */
export async function passUntil({ clock, paywall }: TestWorld, time: unknown, minutes: number): Promise<void> {
  const left = Date.parse(String(time)) - (await clock.now(paywall.id)).getTime()
  await clock.advance(paywall.id, `${Math.floor(left / MINUTE_MS) + minutes}m`)
}

/** Moves only the clock of a world's paywall, and runs nothing: everything that fell due meanwhile is then due at once. */
export async function moveClock({ clock, database, paywall }: TestWorld, minutes: number): Promise<void> {
  await movePaywallClock(database, paywall.id, (await clock.now(paywall.id)).getTime() + minutes * MINUTE_MS)
}

/** Moves the clock of an account at a processor, and of all paywalls that share it. Runs nothing. */
export async function moveAccount(world: TestWorld, minutes: number): Promise<void> {
  const { clock, database, paywall } = world
  const emulator = world[paywall.processor.acquiring]
  const at = (await clock.now(paywall.id)).getTime() + minutes * MINUTE_MS
  for (const id of emulator.paywallsSharingAccount(paywall.id)) await movePaywallClock(database, id, at)
  await emulator.moveTo(paywall.id, at / 1000)
}
