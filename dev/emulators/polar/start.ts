import type { EmulatorOptions } from '../core/emulator.ts'
import { startEmulator } from '../core/start.ts'
import type { PolarAccount } from './accounts.ts'
import { POLAR, type PolarEmulator } from './emulator.ts'

export const startPolarEmulator = (options: EmulatorOptions<PolarAccount>): Promise<PolarEmulator> =>
  startEmulator(POLAR, options)
