import type { AccountContext } from '../domain/context.ts'
import type { Row, Table, Tables } from '../domain/records.ts'
import type { HttpRequest, HttpResponse } from '../server.ts'
import type { Store } from '../store.ts'
import { page, redirect } from './html-responses.ts'
import { type Notice, noticePage } from './layout.ts'

/** What a button does: the browser goes on, or the page says what is wrong. */
export type Pressed = { to: string } | { status: number; problem: string }

/** A page for people: a GET shows it, a POST is one of its buttons. */
export interface HostedPage {
  /** What is shown instead, once there is nothing to press any more. */
  closed?: Notice
  /** What is wrong already when the page is shown. */
  problem?: string | undefined
  show(problem?: string): Promise<string>
  press: Record<string, (form: Record<string, string>) => Pressed>
}

/** A kind of hosted page. `open` gets the rest of the path; null: there is no such page. */
export interface PageVisit {
  unknown: Notice
  open(store: Store, id: string, request: HttpRequest): HostedPage | null
}

/** A kind of hosted page that belongs to one record, and whose path ends with the record's id. */
export function findVisit<Name extends Table>(
  table: Name,
  unknown: Notice,
  open: (context: AccountContext, record: Row<Name>, request: HttpRequest) => HostedPage | null,
): PageVisit {
  return {
    unknown,
    open({ state, contextOf }, id, request) {
      const tables: Tables = state.records
      const record = tables[table].get(id)
      return record ? open(contextOf(record.account), record, request) : null
    },
  }
}

/** The response to a request for a hosted page, once its effects are saved; null if no page has such an address. */
export async function visit(
  visits: Record<string, PageVisit>,
  store: Store,
  request: HttpRequest,
): Promise<HttpResponse | null> {
  const [start, kind] = Object.entries(visits).find(([start]) => request.path.startsWith(start)) ?? []
  if (start === undefined || kind === undefined) return null
  const opened = kind.open(store, request.path.slice(start.length), request)
  const response = await (opened ? use(opened, request) : notice(404, kind.unknown))
  await store.state.save()
  return response
}

async function use(opened: HostedPage, { method, body }: HttpRequest): Promise<HttpResponse> {
  const isShown = method === 'GET' || method === 'HEAD'
  if (opened.closed) return notice(isShown ? 200 : 409, opened.closed)
  if (isShown) return page(200, await opened.show(opened.problem))
  if (method !== 'POST') return notice(405, { title: 'Not possible', text: 'This page takes GET and POST.' })
  const form = Object.fromEntries(new URLSearchParams(body))
  const action = form.action ?? ''
  const press = Object.hasOwn(opened.press, action) ? opened.press[action] : undefined
  const pressed = press?.(form) ?? { status: 400, problem: 'Choose one of the buttons.' }
  if ('to' in pressed) return redirect(pressed.to)
  return page(pressed.status, await opened.show(pressed.problem))
}

const notice = async (status: number, shown: Notice) => page(status, await noticePage(shown))
