import { onTestFinished } from 'vitest'
import { type CallInterceptor, DroppedCall } from '../../dev/emulators/core/calls.ts'

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

/** Lets a number of calls through, loses the next one before or after it takes effect, and then every other, until the test is finished. */
export function crashAfter<Body>(
  emulator: { onCall?: CallInterceptor<Body> | undefined },
  calls: number,
  isExecuted: boolean,
) {
  let left = calls
  emulator.onCall = async (_, run) => {
    left -= 1
    if (left >= 0) return run()
    if (left === -1 && isExecuted) await run()
    throw new DroppedCall()
  }
  onTestFinished(() => {
    emulator.onCall = undefined
  })
}
