import { describe, expect, test } from 'vitest'
import { Changed } from '../../functions/change-plan/contract.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { buy, open } from './buyer.ts'
import { changePlan } from './change-plan-calls.ts'
import { AUSTRIAN_GERMAN, FIXED_LANGUAGE } from './drivers/page-languages.ts'
import { paysEveryChangeOnPage } from './drivers/plans.ts'
import { useShops } from './shop.ts'

// The language of the page, at processors that name theirs differently.

/** The language of the second paywall's pages is fixed. */
const shopAt = useShops(2, (sold, index, acquiring) => {
  const settings = Object(sold.settings)
  const checkout = { ...settings.checkout, locale: FIXED_LANGUAGE[acquiring][0] }
  return index === 1 ? { ...sold, settings: { ...settings, checkout } } : sold
})

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  async function openIn(locale: string | undefined, index = 0) {
    const shop = shopAt(acquiring, index)
    const { checkoutUrl } = await open(shop, 'monthly', { body: { locale } })
    return shop.account.pageLocale(checkoutUrl)
  }

  test('the page is in the closest language to that of the call, if that is sent', async () => {
    expect(await openIn('de-AT')).toBe(AUSTRIAN_GERMAN[acquiring])
    expect(await openIn('de_AT')).toBe(AUSTRIAN_GERMAN[acquiring])
  })

  test('without a language, or in one that it lacks, the processor chooses', async () => {
    const chosen = await openIn(undefined)
    expect(chosen === 'auto' ? null : chosen).toBeNull()
    expect([await openIn('tlh'), await openIn('not a language')]).toEqual([chosen, chosen])
  })

  test('the language of the settings precedes it', async () => {
    expect(await openIn('de-AT', 1)).toBe(FIXED_LANGUAGE[acquiring][1])
  })
})

test.each(PROCESSOR_NAMES.filter(paysEveryChangeOnPage))(
  'at %s the page of a change of plan is in the language of the settings',
  async (acquiring) => {
    const shop = shopAt(acquiring, 1)
    const { checkoutUrl } = Changed.parse((await changePlan(await buy(shop), 'plus')).body)
    expect(shop.account.pageLocale(String(checkoutUrl))).toBe(FIXED_LANGUAGE[acquiring][1])
  },
)
