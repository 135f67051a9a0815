import * as z from 'zod'
import { Terms } from '../domain/selling-records.ts'
import { accountSetting } from './settings.ts'

/** The terms of new pages: taxes, and a coupon that every buyer uses. */
export const TERMS = accountSetting('terms', z.strictObject(Terms.shape), { taxPercent: 0, percentOff: 0 })
