import type { Say } from '../../lib/http/base-app.ts'
import { isForPerson, refusalPage, refusalPolicy, type Told } from '../../lib/http/refusal-page.ts'

/** The address is wrong, or of a checkout that is forgotten by now. */
const UNKNOWN: Told = {
  title: 'This link is not good any more',
  text: 'If you have paid, your purchase is there all the same: go back to where you began, and look at your account.',
}

/** It is not known yet what was bought. */
const LATER: Told = {
  title: 'We cannot see your payment just now',
  text: 'If you have paid, nothing is lost, and you need not pay again. Reload this page in a moment.',
}

/** Buyers come back from their payment by a browser: it shows them a page. */
export const sayToBuyer: Say = async function sayToBuyer(c, { status }) {
  if (!isForPerson(c.req.raw.headers)) return null
  c.header('Content-Security-Policy', await refusalPolicy())
  return c.html(refusalPage(status < 500 ? UNKNOWN : LATER), status)
}
