// What happens to a life at its processor: by time, a bank, or the processor's own portal. What cannot happen there, or not at
// that moment, is refused and does not.

import { Refused } from '../../dev/emulators/core/acts/refused.ts'
import { EmulatorError } from '../../dev/emulators/core/wire/emulator-error.ts'
import type { Step } from './history.ts'
import { persist } from './passing-time.ts'
import type { Company, Person } from './person.ts'

type Act = 'resolve' | 'refund' | 'dispute' | 'renew' | 'roll-over' | 'portal-cancel' | 'end' | 'undo'
export type Happening = Extract<Step, { act: Act }>

export async function happen(company: Company, person: Person, step: Happening): Promise<void> {
  try {
    await toWhatWasSold(company, person, step)
    company.lastHappening = await timeOf(company)
  } catch (error) {
    if (!(error instanceof EmulatorError || error instanceof Refused)) throw error
  }
}

const timeOf = ({ world: { clock, paywall } }: Company) => persist('a clock is read', () => clock.now(paywall.id))

/** To what the person has bought last, or else to what anybody of the life has. */
function toWhatWasSold({ there, people }: Company, { bought }: Person, step: Happening): Promise<unknown> | undefined {
  const all = there.sales()
  const own = all.filter(({ processorId }) => bought.has(processorId))
  const sales = own.length > 0 ? own : all
  const id = sales.findLast(({ isSubscription }) => isSubscription)?.processorId ?? ''
  const paid = sales.findLast((sale) => sale.paid.length > 0)?.processorId ?? ''
  switch (step.act) {
    case 'resolve':
      return there.resolve(step.fails)
    case 'refund':
      return there.refund(paid, step.part === 'some' ? 100 : undefined)
    case 'dispute':
      return there.dispute(paid)
    case 'renew':
      return step.fails ? there.failCharge(id) : there.renew(id)
    case 'roll-over':
      return there.rollOver?.(id)
    case 'portal-cancel':
      return there.cancel(id)
    case 'end':
      return (there.end ?? there.suspend)?.(id)
    case 'undo':
      return there.undo?.(id).then(() => {
        for (const { cancelled } of people) cancelled.clear()
      })
  }
}
