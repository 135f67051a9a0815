import type { EmulatorOptions } from '../core/emulator.ts'
import { startEmulator } from '../core/start.ts'
import type { ChargebeeAccount } from './accounts.ts'
import { CHARGEBEE, type ChargebeeEmulator } from './emulator.ts'

export const startChargebeeEmulator = (options: EmulatorOptions<ChargebeeAccount>): Promise<ChargebeeEmulator> =>
  startEmulator(CHARGEBEE, options)
