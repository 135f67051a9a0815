// What happens to a life at its processor: by time, a bank, or the processor's own portal. What cannot happen there, or not at
// that moment, is refused and does not.

import { Refused } from '../../dev/emulators/core/acts/refused.ts'
import { EmulatorError } from '../../dev/emulators/core/wire/emulator-error.ts'
import type { Step } from './history.ts'
import type { Person } from './person.ts'

type Happening = Exclude<Step, { act: 'buy' | 'tokens' | 'cancel' | 'read' | 'wait' | 'due' }>

export async function happen(person: Person, step: Happening): Promise<void> {
  try {
    await toWhatWasSold(person, step)
  } catch (error) {
    if (!(error instanceof EmulatorError || error instanceof Refused)) throw error
  }
}

function toWhatWasSold({ there, cancelled }: Person, step: Happening): Promise<unknown> | undefined {
  const sales = there.sales()
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
      return there.undo?.(id).then(() => cancelled.clear())
  }
}
