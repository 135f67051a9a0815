import type { AccountContext } from '../domain/context.ts'
import type { Row, Table, Tables } from '../domain/records.ts'
import type { HttpRequest, HttpResponse } from '../server.ts'
import type { Store } from '../store.ts'
import { page, redirect } from './html-responses.ts'
import { type Notice, noticePage } from './layout.ts'

/** The result of a button: a redirect, or a problem to show. */
export type ActionResult = { to: string } | { status: number; problem: string }

/** A page for people: GET shows it, POST runs one of its actions. */
export interface HostedPage {
  /** Shown instead once no action is possible. */
  closed?: Notice
  /** A problem to show with a GET. */
  problem?: string | undefined
  show(problem?: string): Promise<string>
  actions: Record<string, (form: Record<string, string>) => ActionResult>
}

/** A kind of hosted page. `open` gets the rest of the path; null: not found. */
export interface PageVisit {
  unknown: Notice
  open(store: Store, id: string, request: HttpRequest): HostedPage | null
}

/** A kind of hosted page of a record, whose path ends with the record's id. */
export function findVisit<Name extends Table>(
  table: Name,
  unknown: Notice,
  open: (context: AccountContext, record: Row<Name>, request: HttpRequest) => HostedPage | null,
): PageVisit {
  return {
    unknown,
    open({ state, contextFor }, id, request) {
      const tables: Tables = state.records
      const record = tables[table].get(id)
      return record ? open(contextFor(record.account), record, request) : null
    },
  }
}

/** Handles a request for a hosted page and saves its effects; null: not found. */
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
  if (method !== 'POST') return notice(405, { title: 'Not possible', text: 'This page accepts GET and POST only.' })
  const form = Object.fromEntries(new URLSearchParams(body))
  const action = form.action ?? ''
  const run = Object.hasOwn(opened.actions, action) ? opened.actions[action] : undefined
  const result = run?.(form) ?? { status: 400, problem: 'Choose one of the buttons.' }
  if ('to' in result) return redirect(result.to)
  return page(result.status, await opened.show(result.problem))
}

const notice = async (status: number, shown: Notice) => page(status, await noticePage(shown))
