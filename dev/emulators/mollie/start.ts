import type { EmulatorOptions } from '../core/emulator.ts'
import { startEmulator } from '../core/start.ts'
import type { MollieAccount } from './accounts.ts'
import { MOLLIE, type MollieEmulator } from './emulator.ts'

export const startMollieEmulator = (options: EmulatorOptions<MollieAccount>): Promise<MollieEmulator> =>
  startEmulator(MOLLIE, options)
