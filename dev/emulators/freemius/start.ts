import type { EmulatorOptions } from '../core/emulator.ts'
import { startEmulator } from '../core/start.ts'
import type { FreemiusAccount } from './accounts.ts'
import { FREEMIUS, type FreemiusEmulator } from './emulator.ts'

export const startFreemiusEmulator = (options: EmulatorOptions<FreemiusAccount>): Promise<FreemiusEmulator> =>
  startEmulator(FREEMIUS, options)
