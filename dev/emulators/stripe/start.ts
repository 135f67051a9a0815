import type { EmulatorOptions } from '../core/emulator.ts'
import { startEmulator } from '../core/start.ts'
import type { StripeAccount } from './accounts.ts'
import { STRIPE, type StripeEmulator } from './emulator.ts'

export const startStripeEmulator = (options: EmulatorOptions<StripeAccount>): Promise<StripeEmulator> =>
  startEmulator(STRIPE, options)
