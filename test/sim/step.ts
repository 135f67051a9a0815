/**
 * What a person does, or what happens to it at the processor; `wait`: so many days pass by its paywall's clock; `due`: whatever
 * reconcile will look at is due now; `sign-in`: an anonymous user signs in, perhaps as another of the life; `merge`: the owner merges
 * two; `edit`: the owner changes the monthly price; `outage`: the processor refuses every call that would change something, until that
 * `ends`. `who` does it, or has it done to: the number of a person of the life. What cannot
 * happen at that moment does not.
 */
export type Step = { faultSeed: number; who: number } & (
  | {
      act: 'buy'
      slug: Slug
      country: 'US' | 'DE'
      button: Button
      /** Whether it is to replace the subscriptions that its buyer has. */
      replaces: boolean
      comesBack: boolean
      clicks: 1 | 2 | 3
    }
  | { act: 'tokens'; op: 'credit' | 'debit' | 'withdraw'; type: 'premium' | 'daily'; amount: number; keyed: boolean }
  | { act: 'resolve' | 'renew'; fails: boolean }
  | { act: 'refund'; part: 'some' | 'all' }
  | { act: 'change-plan'; to: 'monthly' | 'yearly'; at: 'once' | 'the end of the period' }
  | { act: 'decide-dispute'; wins: boolean }
  | { act: 'card'; declines: boolean }
  | { act: 'wait'; days: 1 | 8 | 32 }
  | { act: 'outage'; ends: boolean }
  | { act: 'roll-over' | 'portal-cancel' | 'undo' | 'end' | 'pause' | 'resume' | 'dispute' | 'fail-refund' }
  | { act: 'sign-in'; as: 'itself' | 'another' }
  | { act: 'cancel' | 'read' | 'due' | 'merge' | 'edit' | 'pay-again' }
)

export type Slug = 'monthly' | 'yearly' | 'lifetime'

/** `leave`: the page is opened and none of its buttons is pressed. */
export type Button = 'pay' | 'later' | 'transfer' | 'decline' | 'cancel' | 'leave'
