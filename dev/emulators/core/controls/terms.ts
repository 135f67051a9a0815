import * as z from 'zod'
import { Terms } from '../domain/selling-records.ts'
import { accountSetting } from './settings.ts'

/** The terms on which pages sell that are opened from now on: taxes, and a coupon that every buyer uses. */
export const TERMS = accountSetting('terms', z.strictObject(Terms.shape), { taxPercent: 0, percentOff: 0 })
