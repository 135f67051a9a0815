import * as z from 'zod'
import { page, redirect } from '../core/html-responses.ts'
import { noticePage } from '../core/layout.ts'
import type { HttpRequest, HttpResponse } from '../core/server.ts'
import type { AccountContext } from './account-context.ts'
import { isExpired, portalContents } from './portal.ts'
import { portalPage } from './portal-page.ts'
import type { PortalSessionRecord, SubscriptionRecord } from './records.ts'
import { cancelInPortal, hasEnded, resumeInPortal } from './subscriptions.ts'

/** `subscription` may be left out if the customer has only one that has not ended. */
const PortalForm = z.object({ action: z.enum(['cancel', 'undo']), subscription: z.string().optional() })

/** The portal of one customer: GET shows it, POST is one of its buttons. */
export async function hostedPortal(
  context: AccountContext,
  session: PortalSessionRecord,
  request: HttpRequest,
): Promise<HttpResponse> {
  if (isExpired(context, session)) return unknownPortal()
  const contents = portalContents(context, session)
  const show = async (status: number, problem?: string) => page(status, await portalPage(session, contents, problem))
  if (request.method === 'GET' || request.method === 'HEAD') return show(200)
  if (request.method !== 'POST') return page(405, await noticePage('Not possible', 'This page takes GET and POST.'))

  const form = PortalForm.safeParse(Object.fromEntries(new URLSearchParams(request.body)))
  if (!form.success) return show(400, 'Choose one of the buttons.')
  const subscription = chosen(contents.subscriptions, form.data.subscription)
  if (!subscription) return show(400, 'Choose a subscription.')

  const cancels = form.data.action === 'cancel'
  if (hasEnded(subscription)) return show(409, 'This subscription has ended.')
  if (cancels === (subscription.cancelAt !== null)) {
    return show(409, cancels ? 'This subscription is cancelled already.' : 'This subscription is not cancelled.')
  }
  if (cancels) cancelInPortal(context, subscription.id)
  else resumeInPortal(context, subscription.id)
  return redirect(request.path)
}

export async function unknownPortal(): Promise<HttpResponse> {
  const text = 'This link has expired, or never existed. Ask for a new one where you got it.'
  return page(404, await noticePage('Nothing to see here', text))
}

function chosen(subscriptions: SubscriptionRecord[], id: string | undefined): SubscriptionRecord | undefined {
  if (id !== undefined) return subscriptions.find((subscription) => subscription.id === id)
  const running = subscriptions.filter((subscription) => !hasEnded(subscription))
  return running.length === 1 ? running[0] : undefined
}
