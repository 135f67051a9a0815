/**
 * Something that a person does, or that happens to the person at the processor. A step that is not possible at that moment has no effect.
 *
 * - `who`: the number of the person in the life
 * - `wait`: the clock of the paywall moves by `days`
 * - `due`: everything that reconcile will ever poll for the paywall is due now
 * - `sign-in`: an anonymous user signs in by mail, as itself or as another person of the life
 * - `merge`: the owner merges two people
 * - `change-plan`: `team` is a price at the processor that is not in the paywall file; `quoted`: the change is the one that a `preview` has
 *   shown, or is previewed first
 * - `edit`: the owner changes the monthly price
 * - `outage`: the processor refuses every call that would change something, until an `outage` with `ends`
 */
export type Step = { faultSeed: number; who: number } & (
  | {
      act: 'buy'
      slug: Slug
      country: 'US' | 'DE'
      /** Whether the purchase is made at the offer of its price, named by its id or by its code. */
      offer: 'none' | 'by id' | 'by code'
      button: Button
      quantity: Quantity
      /** Whether the purchase is to replace the existing subscriptions of the buyer. */
      replaces: boolean
      comesBack: boolean
      clicks: 1 | 2 | 3
    }
  | { act: 'tokens'; op: 'credit' | 'debit' | 'withdraw'; type: 'premium' | 'daily'; amount: number; keyed: boolean }
  | { act: 'resolve' | 'renew'; fails: boolean }
  | { act: 'refund'; part: 'some' | 'all' }
  | {
      act: 'change-plan'
      to: 'monthly' | 'yearly' | 'team'
      at: 'once' | 'the end of the period'
      quantity: Quantity
      quoted: boolean
    }
  | { act: 'preview'; to: 'monthly' | 'yearly'; at: 'once' | 'the end of the period'; quantity: Quantity }
  | { act: 'decide-dispute'; wins: boolean }
  | { act: 'card'; declines: boolean }
  | { act: 'wait'; days: 1 | 8 | 32 }
  | { act: 'outage'; ends: boolean }
  | { act: 'roll-over' | 'portal-cancel' | 'undo' | 'end' | 'pause' | 'resume' | 'dispute' | 'fail-refund' }
  | { act: 'sign-in'; as: 'itself' | 'another' }
  | { act: 'cancel' | 'read' | 'due' | 'merge' | 'edit' | 'pay-again' }
)

/** How many units: one of a price that is not sold per unit. */
export type Quantity = 1 | 2 | 3

export type Slug = 'monthly' | 'yearly' | 'lifetime'

/** `leave`: the page is opened, but none of its buttons is pressed. */
export type Button = 'pay' | 'later' | 'transfer' | 'decline' | 'cancel' | 'leave'
