import * as z from 'zod'
import { page, redirect } from '../core/html-responses.ts'
import { noticePage } from '../core/layout.ts'
import type { HttpRequest, HttpResponse } from '../core/server.ts'
import type { AccountContext } from './account-context.ts'
import { declineSession, payLater, paySession } from './checkout.ts'
import { checkoutPage } from './checkout-page.ts'
import { checkoutAmount } from './objects/checkout-session.ts'
import type { CheckoutSessionRecord } from './records.ts'

const PageForm = z.object({
  action: z.enum(['pay', 'later', 'decline', 'cancel']),
  email: z.string().trim().optional(),
})

/**
 * The query of the address that a declined card leads to: a GET, so that reloading it declines nothing a second time.
 */
const DECLINED = 'declined'

/** The hosted page of one session: GET shows it, POST is one of its buttons. */
export async function hostedCheckout(
  context: AccountContext,
  session: CheckoutSessionRecord,
  request: HttpRequest,
): Promise<HttpResponse> {
  if (session.status !== 'open') return closedSession(session, request)
  if (request.method === 'GET' || request.method === 'HEAD') {
    const problem = 'Your card was declined. You can try again with another card.'
    return page(200, await checkoutPage(session, request.query === DECLINED ? problem : undefined))
  }
  if (request.method !== 'POST') return page(405, await noticePage('Not possible', 'This page takes GET and POST.'))

  const form = PageForm.safeParse(Object.fromEntries(new URLSearchParams(request.body)))
  if (!form.success) return page(400, await checkoutPage(session, 'Choose one of the buttons.'))
  switch (form.data.action) {
    case 'pay':
      return pay(context, session, form.data.email, paySession)
    case 'later':
      if (checkoutAmount(session) === 0) return page(400, await checkoutPage(session, 'There is nothing to pay today.'))
      return pay(context, session, form.data.email, payLater)
    case 'decline':
      declineSession(context, session)
      return redirect(`${request.path}?${DECLINED}`)
    case 'cancel':
      if (session.cancelUrl === null)
        return page(200, await checkoutPage(session, 'The seller gave no address to go back to.'))
      return redirect(session.cancelUrl)
  }
}

export async function unknownSession(): Promise<HttpResponse> {
  return page(404, await noticePage('Nothing to pay here', 'This checkout does not exist. Check the address.'))
}

async function pay(
  context: AccountContext,
  session: CheckoutSessionRecord,
  typed: string | undefined,
  complete: typeof paySession | typeof payLater,
): Promise<HttpResponse> {
  const email = z.email().safeParse(session.email ?? typed)
  if (!email.success) return page(422, await checkoutPage(session, 'Enter your email address.'))
  complete(context, session, email.data)
  return redirect(successUrl(session))
}

/** A second click on Pay ends here, too: nothing is paid twice, and the page has a link to go on. */
async function closedSession(session: CheckoutSessionRecord, request: HttpRequest): Promise<HttpResponse> {
  const status = request.method === 'GET' || request.method === 'HEAD' ? 200 : 409
  if (session.status === 'expired') {
    const back =
      session.cancelUrl === null ? undefined : { href: session.cancelUrl, label: `Back to ${session.seller}` }
    return page(status, await noticePage('This checkout has expired', 'Nothing was paid. Start again to buy.', back))
  }
  const onward = { href: successUrl(session), label: `Continue to ${session.seller}` }
  const [title, text] = session.unpaid
    ? ['Not paid yet', `${session.seller} waits for the money for ${session.price.label}.`]
    : ['Already paid', `You have paid ${session.seller} for ${session.price.label}.`]
  return page(status, await noticePage(title, text, onward))
}

const successUrl = (session: CheckoutSessionRecord) =>
  session.successUrl.replaceAll('{CHECKOUT_SESSION_ID}', session.id)
