import * as z from 'zod'
import { AfterRetries, type RenewalRules } from '../domain/dues.ts'
import { DAY_SECONDS } from '../periods.ts'
import { accountSetting } from './settings.ts'

const Dunning = z.strictObject({
  /** The days between a failed charge and its retry. */
  retryDays: z.array(z.number().min(0)).min(1),
  finally: AfterRetries,
})

/** The account's setting for retries of failed charges. */
export const dunningSetting = (usual: z.output<typeof Dunning>) => accountSetting('dunning', Dunning, usual)

/** The setting as part of the renewal rules. */
export const dunningRules = (dunning: z.output<typeof Dunning>): Pick<RenewalRules, 'retries' | 'afterRetries'> => ({
  retries: dunning.retryDays.map((days) => days * DAY_SECONDS),
  afterRetries: dunning.finally,
})
