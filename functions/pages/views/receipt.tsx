import type { Refused } from '../call-api.ts'
import { ACCOUNT_PATH, RECEIPTS_PATH } from '../contract.ts'
import { messageFor } from '../problem.ts'
import type { Site } from '../site.ts'
import { sitePage } from './layout.tsx'
import { Notice } from './notice.tsx'

/** How often the page of a receipt that is being made is loaded by itself. */
export const MAX_ATTEMPTS = 5
const SECONDS_BETWEEN = 3

interface Shown {
  /** The payment's id. */
  id: string
  refused: Refused
  /** The number of the next attempt, which follows by itself; null: none does. */
  next: number | null
}

/** Why the receipt of a payment cannot be opened. While it is being made, the page tries again. */
export function receiptPage(site: Site, { id, refused, next }: Shown) {
  const { texts } = site
  const path = `${RECEIPTS_PATH}/${id}`
  const reload = next === null ? null : `${SECONDS_BETWEEN}; url=${site.href(path, { attempt: String(next) })}`
  const isFinal = refused.error === 'receipt_not_found'
  return sitePage(site, {
    title: texts.receipt,
    head: reload && <meta http-equiv="refresh" content={reload} />,
    children: (
      <>
        <h1>{texts.receipt}</h1>
        {reload ? (
          <Notice kind="news" text={texts.receiptPending} />
        ) : (
          <Notice
            kind={isFinal ? 'news' : 'problem'}
            text={messageFor(refused, texts)}
            {...(!isFinal && { link: { href: site.href(path), text: texts.tryAgain } })}
          />
        )}
        <p>
          <a href={site.href(ACCOUNT_PATH)}>{texts.account}</a>
        </p>
      </>
    ),
  })
}
