import { afterAll, beforeAll, expect, test } from 'vitest'
import { EMULATORS } from '../../dev/emulators/emulators.ts'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import { newEmail, opened, press, priceIdOf, startCheckout } from '../support/checkout.ts'
import { monthly } from '../support/paywall-file.ts'
import { userState } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld
beforeAll(async () => {
  world = await startTestWorld({
    file: {
      paywalls: ACQUIRING.map((acquiring) => ({
        processor: { acquiring, credentials: EMULATORS[acquiring].demoCredentials() },
        prices: [
          monthly({
            currency: 'USD',
            locals: [],
            trial_days: 0,
            processorPrice: { polar: crypto.randomUUID(), freemius: '501:601' }[acquiring as string] ?? 'price_monthly_usd',
          }),
        ],
      })),
    },
  })
})
afterAll(() => world.close())

test.each(ACQUIRING)('%s', async (acquiring) => {
  const paywall = world.file.paywalls.find(({ processor }) => processor.acquiring === acquiring)!
  const body = { email: newEmail(), priceId: priceIdOf(paywall, 'monthly') }
  const { userId, checkoutUrl } = opened(await startCheckout(world, { paywall, key: world.key, body }))
  console.log(checkoutUrl)
  const back = await press(checkoutUrl, 'pay')
  console.log(back)
  let response = await world.fetch(back)
  console.log(response.status, response.headers.get('location'))
  if (acquiring === 'freemius') {
    response = await world.fetch(response.headers.get('location') ?? '')
    console.log(response.status, response.headers.get('location'))
  }
  expect(await userState(world, userId, paywall)).toMatchObject({ paid: true, purchases: [{ acquiring, status: 'active' }] })
})
