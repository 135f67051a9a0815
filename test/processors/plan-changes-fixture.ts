export const HOUR = 3600
export const DAY = 24 * HOUR
export const PAYWALL = '1001'

/** A price that is in no paywall file. */
export const otherPrice = (id: string, more: object = {}) => ({
  id,
  label: 'Team',
  currency: 'usd',
  amount: 2999,
  interval: 'month' as const,
  intervalCount: 1,
  ...more,
})

interface EmulatorClock {
  currentTime(id: string): number
  moveTo(id: string, at: number): Promise<void>
}

/** Moves the clock to a quarter of the period. */
export async function advanceQuarterPeriod(emulator: EmulatorClock, [from = 0, to = 0]: number[]) {
  await emulator.moveTo(PAYWALL, from + (to - from) / 4)
}
