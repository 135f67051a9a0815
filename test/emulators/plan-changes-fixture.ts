export const DAY = 24 * 3600
export const PAYWALL = '1001'

/** A price that no paywall file names. */
export const otherPrice = (id: string, more: object = {}) => ({
  id,
  label: 'Team',
  currency: 'usd',
  amount: 2999,
  interval: 'month' as const,
  intervalCount: 1,
  ...more,
})

interface Timed {
  currentTime(id: string): number
  moveTo(id: string, at: number): Promise<void>
}

/** A quarter of a period passes. */
export async function aQuarterPasses(emulator: Timed, [from = 0, to = 0]: number[]) {
  await emulator.moveTo(PAYWALL, from + (to - from) / 4)
}
