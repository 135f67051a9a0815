import { movePaywallClock } from '../../dev/world/clock/paywall-clock.ts'
import type { TestWorld } from './world.ts'

const MINUTE_MS = 60_000

/** Lets time pass for a world's paywall until so many minutes after a time, or up to one minute less. */
export async function passUntil({ clock, paywall }: TestWorld, time: unknown, minutes: number): Promise<void> {
  const left = Date.parse(String(time)) - (await clock.now(paywall.id)).getTime()
  await clock.advance(paywall.id, `${Math.floor(left / MINUTE_MS) + minutes}m`)
}

/** Moves the clock of a world's paywall alone, and runs nothing: all that falls due meanwhile is due at once. */
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
