import * as z from 'zod'
import { Purchase, time } from './purchase.ts'

export const Balance = z
  .object({ type: z.string().describe('The type of tokens'), count: z.int().min(0).describe('How many there are') })
  .describe('How many tokens of a type a user has on a paywall')

export const Trial = z
  .object({
    purchase_id: z.uuid().describe('The purchase that is on trial'),
    started_at: time,
    ends_at: time,
    days_left: z.int().min(0).describe('Begun days until it ends'),
  })
  .describe('A trial that is running')

/** What a member has, as user and bootstrap report it (contract section 2). */
export const MemberState = z.object({
  purchases: z.array(Purchase).describe('All that the user ever bought on this paywall, the latest first'),
  paid: z.boolean().describe('Whether a purchase lets the user in now: one that is paid, on trial, or just past due'),
  balances: z.array(Balance).describe('All balances on this paywall, by type'),
  trial: Trial.nullable().describe('The trial that runs the longest; null: none does'),
})

export type MemberState = z.output<typeof MemberState>
