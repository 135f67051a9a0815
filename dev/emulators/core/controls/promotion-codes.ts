import * as z from 'zod'
import { accountSetting } from './settings.ts'

/** The promotion codes of the account, in capitals, and the percentage that each takes off every charge. */
export const PROMOTION_CODES = accountSetting(
  'codes',
  z.record(z.string().toUpperCase(), z.number().min(0).max(100)),
  {},
)
