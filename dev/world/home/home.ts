import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isFromHere } from '../../emulators/core/from-here.ts'
import { redirect } from '../../emulators/core/pages/html-responses.ts'
import { type HttpRequest, type HttpResponse, type HttpStream, serve } from '../../emulators/core/server.ts'
import { findAction } from './actions.ts'
import { answerClock } from './clock-calls.ts'
import { type HomeContext, shownPaywalls } from './context.ts'
import { frontPage } from './front.ts'
import { createJournal } from './journal.ts'
import { fragment, layout, type PageContent } from './layout.ts'
import { streamChanges } from './live.ts'
import { previewPage } from './preview.ts'
import { formatBody, toCurl } from './received-events.ts'
import { timelinePage } from './timeline.ts'

/** The local world's home server: pages for people, and `/clock` and `/applied` for the `paywall` command. */
export interface Home {
  readonly url: string
  close(): Promise<void>
}

type Served = HttpResponse | HttpStream | null

/** How often an open page is checked for changes: fast enough for a person, cheap enough for a page that stays open. */
const POLL_MS = 1000

const ASSETS = join(import.meta.dirname, 'assets')

/** The pages with live updates. Null: not found. */
const PAGES: Record<string, (parts: HomeContext, query: URLSearchParams) => Promise<PageContent | null>> = {
  '/': frontPage,
  '/user': timelinePage,
}

type HomeOptions = { port: number; pollMs?: number } & Omit<HomeContext, 'journal' | 'buyer' | 'pollMs'>

export async function startHome({ port, pollMs = POLL_MS, ...given }: HomeOptions): Promise<Home> {
  const parts: HomeContext = {
    ...given,
    pollMs,
    journal: createJournal(),
    buyer: { email: 'buyer@example.com' },
  }
  const server = await serve(port, async (request) => {
    if (!isFromHere(request.headers)) return text(403, 'Cross-origin requests are not allowed here.')
    try {
      return (await respond(parts, request)) ?? text(404, 'Not found')
    } catch (error) {
      console.error(error)
      return text(500, `Internal error, see the terminal for details: ${error}`)
    }
  })
  return server
}

async function respond(parts: HomeContext, request: HttpRequest): Promise<Served> {
  const { method, path } = request
  if (path === '/clock') return answerClock(parts.world.clock, request)
  if (path === '/applied' && method === 'POST') return reload(parts)
  if (method === 'POST') return runAction(parts, request)
  if (method !== 'GET' && method !== 'HEAD') return text(405, 'Method not allowed: use GET or POST.')
  const query = new URLSearchParams(request.query)
  if (path.startsWith('/live/')) return streamPage(parts, path.slice('/live'.length), query)
  const content = await PAGES[path]?.(parts, query)
  return content ? layout(content) : otherResources(parts, path)
}

/** Called by `paywall apply`: serves what it has applied. Returns the ids of all paywalls that are served. */
async function reload(parts: HomeContext): Promise<HttpResponse> {
  await parts.reload()
  const paywalls = shownPaywalls(parts).map(({ paywall }) => paywall.id)
  return { status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ paywalls }) }
}

/** Runs the action of a button and redirects the browser to its target, or back. */
async function runAction(parts: HomeContext, { path, body, headers }: HttpRequest): Promise<Served> {
  const action = findAction(path)
  if (!action) return null
  const form = Object.fromEntries(new URLSearchParams(body))
  const place = await action(parts, form)
  return redirect(place ?? refererPage(headers) ?? `/?paywall=${encodeURIComponent(form.paywall ?? '')}`)
}

/** The page of home with its query from which a form was sent; null without a `Referer`. */
function refererPage({ host, referer = '' }: HttpRequest['headers']): string | null {
  const page = URL.parse(referer)
  return page && page.host === host ? page.pathname + page.search : null
}

/** Streams a page's changes. */
function streamPage(parts: HomeContext, path: string, query: URLSearchParams): Served {
  const page = PAGES[path]
  if (!page) return null
  const render = async () => {
    const content = await page(parts, query)
    return content ? fragment(content) : ''
  }
  const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }
  return { status: 200, headers, chunks: (signal) => streamChanges(render, { pollMs: parts.pollMs, signal }) }
}

/** Assets, previews and events, which the pages load or link to. */
async function otherResources({ world }: HomeContext, path: string): Promise<Served> {
  const [, place = '', id = '', form = ''] = path.split('/')
  switch (place) {
    case 'home.css':
      return asset(place, 'text/css')
    case 'home.js':
      return asset(place, 'text/javascript')
    case 'preview':
      return previewPage(world, id)
    case 'events': {
      const received = world.receiver.received.find((each) => each.id === id)
      return received ? text(200, form === 'curl' ? toCurl(received) : formatBody(received)) : null
    }
    default:
      return null
  }
}

const asset = (file: string, type: string): HttpResponse => ({
  status: 200,
  headers: { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-store' },
  body: readFileSync(join(ASSETS, file), 'utf8'),
})

const text = (status: number, body: string): HttpResponse => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  body: `${body}\n`,
})
