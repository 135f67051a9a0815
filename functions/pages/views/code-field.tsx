import { OFFER_LENGTH } from '../../../lib/http/input-limits.ts'
import { dealFor } from '../deal.ts'
import type { Site } from '../site.ts'

/** Asks for the code of an offer, or shows the one that is applied. Nothing if the paywall has no codes. */
export function CodeField({ site }: { site: Site }) {
  const { texts, code, structure } = site
  if (code?.offer) return <AppliedCode site={site} code={code.text} title={site.text(code.offer.title)} />
  if (!structure.settings.accepts_codes && !code) return null
  return (
    <details class="code" open={code !== undefined}>
      <summary>{texts.haveCode}</summary>
      <div class="row">
        <label>
          {texts.discountCode}
          <input
            name="code"
            value={code?.text}
            maxlength={OFFER_LENGTH}
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            {...(code?.problem && { 'aria-invalid': 'true', 'aria-describedby': 'code-problem' })}
          />
        </label>
        <button type="submit" name="action" value="code" formnovalidate>
          {texts.applyCode}
        </button>
      </div>
      {code?.problem && (
        <p id="code-problem" class="problem" role="alert">
          {code.problem}
        </p>
      )}
    </details>
  )
}

function AppliedCode({ site, code, title }: { site: Site; code: string; title: string }) {
  const { texts, structure } = site
  const isUsed = structure.prices.some((price) => dealFor(site, price)?.offer === site.code?.offer)
  return (
    <div class="code">
      <p role="status">{isUsed ? texts.codeApplied(code, title) : texts.codeLowersNothing}</p>
      <button type="submit" class="quiet" name="action" value="remove-code" formnovalidate>
        {texts.removeCode}
      </button>
    </div>
  )
}
