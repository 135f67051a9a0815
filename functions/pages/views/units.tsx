import { MAX_QUANTITY } from '../../../lib/http/input-limits.ts'
import { dealField, dealFor, dealText, firstAmount, regularAmount } from '../deal.ts'
import { formatCycle, formatMoney, formatTotal } from '../formats.ts'
import { trialDays } from '../sale.ts'
import type { Site } from '../site.ts'
import type { Price } from '../structure.ts'
import { countUnits, shownUnitsField, unitsField } from '../units.ts'
import { Duration } from './duration.tsx'

interface PriceProps {
  site: Site
  price: Price
}

/**
 * Asks for the number of units of a price with `per_unit`, and shows what they cost. With a script the total follows the number; without, a
 * button shows it, and so does the button that buys before it sells.
 */
export function Units({ site, price, isHidden = false }: PriceProps & { isHidden?: boolean }) {
  const { texts } = site
  return (
    <div class="units">
      <UnitsInput site={site} name={unitsField(price)} units={countUnits(site, price)} isHidden={isHidden} />
      <noscript>
        <button type="submit" name="action" value="units">
          {texts.showTotal}
        </button>
      </noscript>
      <Total site={site} price={price} />
    </div>
  )
}

interface InputProps {
  site: Site
  name: string
  units: number
  isHidden?: boolean
}

export const UnitsInput = ({ site, name, units, isHidden = false }: InputProps) => (
  <label>
    {site.texts.units}
    <input
      type="number"
      name={name}
      value={units}
      min={1}
      max={MAX_QUANTITY}
      inputmode="numeric"
      autocomplete="off"
      required
      disabled={isHidden}
    />
  </label>
)

/** What the units cost at the offer of the price, and how many they are, which the form repeats. */
function Total({ site, price }: PriceProps) {
  const { texts } = site
  const units = countUnits(site, price)
  const { amount, currency } = firstAmount(site, price)
  const deal = dealFor(site, price)
  const days = trialDays(site, price)
  const money = (each: number) => formatMoney(each, currency, site)
  return (
    <div role="status" data-total>
      {texts.unitCount(units)}:{' '}
      {deal && (
        <>
          <span class="unseen">{texts.regularPrice} </span>
          <s>{money(regularAmount(site, price))}</s> <span class="unseen">{texts.offerPrice} </span>
        </>
      )}
      <strong>{money(amount)}</strong> {formatCycle({ ...price, per_unit: false }, site)}
      {days > 0 && <p class="price-trial">{texts.trial(days, formatTotal(price, site, amount))}</p>}
      {deal && <Duration site={site} price={price} deal={deal} />}
      <input type="hidden" name={shownUnitsField(price)} value={units} />
      <input type="hidden" name={dealField(price)} value={dealText(site, price)} />
    </div>
  )
}
