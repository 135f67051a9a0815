// What happens to a life at its processor: by time, a bank, or the processor's own portal. What cannot happen at that moment
// is refused by the emulator, and does not.
import { EmulatorError } from '../../dev/emulators/core/wire/emulator-error.ts'
import type { Step } from './history.ts'
import type { Person } from './person.ts'
import { molliePayments, mollieSubscriptions } from './truth-mollie.ts'
import { eventsOf, pendingPayments, stripeSubscriptions } from './truth-stripe.ts'

type Happening = Exclude<Step, { act: 'buy' | 'tokens' | 'cancel' | 'read' | 'due' }>

export async function happen(person: Person, step: Happening): Promise<void> {
  try {
    if (person.life.processor === 'stripe') await atStripe(person, step)
    else await atMollie(person, step)
  } catch (error) {
    if (!(error instanceof EmulatorError)) throw error
  }
}

async function atStripe(person: Person, step: Happening): Promise<void> {
  const { stripe } = person.world
  const id = stripeSubscriptions(person).at(-1)?.id ?? ''
  const payment = eventsOf(person).findLast(({ type }) => type === 'payment_intent.succeeded')?.data.object
  const paymentId = String(payment?.id ?? '')
  const [pending] = pendingPayments(person)
  switch (step.act) {
    case 'renew':
      return void (id && (await stripe.renew(id, { fail: step.fails })))
    case 'roll-over':
      return void (id && (await stripe.rollOver(id)))
    case 'resolve':
      if (pending) await stripe.resolvePayment(pending, { fail: step.fails })
      else if (id) await (step.fails ? stripe.end(id) : stripe.renew(id))
      return
    case 'refund':
      return void (paymentId && (await stripe.refund(paymentId, step.part === 'some' ? 100 : undefined)))
    case 'dispute':
      return void (paymentId && (await stripe.dispute(paymentId)))
    case 'portal-cancel':
      return void (id && (await stripe.portalCancel(id)))
    case 'undo':
      if (id) await stripe.portalUndo(id)
      return person.cancelled.clear()
    case 'end':
      return void (id && (await stripe.end(id)))
  }
}

/** Mollie has no portal, and nothing there is undone. */
async function atMollie(person: Person, step: Happening): Promise<void> {
  const { mollie } = person.world
  const id = mollieSubscriptions(person).at(-1)?.id ?? ''
  const payments = molliePayments(person)
  const paid = payments.findLast(({ status, amount }) => status === 'paid' && Number(amount.value) > 1)?.id
  switch (step.act) {
    case 'renew':
      return void (id && (await mollie.renew(id, { fail: step.fails })))
    case 'roll-over':
      return void (id && (await mollie.renew(id, { pending: true })))
    case 'resolve': {
      const pending = payments.find(
        ({ status, method }) => status === 'pending' || (status === 'open' && method === 'banktransfer'),
      )
      return void (pending && (await mollie.resolvePayment(pending.id, { fail: step.fails })))
    }
    case 'refund':
      return void (paid && (await mollie.refund(paid, step.part === 'some' ? '1.00' : undefined)))
    case 'dispute':
      return void (paid && (await mollie.chargeback(paid)))
    case 'end':
      return void (id && (await mollie.suspend(id)))
    case 'portal-cancel':
    case 'undo':
      return
  }
}
