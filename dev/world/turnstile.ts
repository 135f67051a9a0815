// Stands in for Cloudflare Turnstile, as https://developers.cloudflare.com/turnstile/ documents it: the widget's script and siteverify.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import { close, listen } from '../emulators/core/listen.ts'

/** A token is good for so long. */
const TOKEN_SECONDS = 300

/** Cloudflare's keys for tests: with the first secret every captcha is solved, with the second none, with the third all are spent. */
const TEST_SECRETS: Record<string, string[]> = {
  '1x0000000000000000000000000000000AA': [],
  '2x0000000000000000000000000000000AA': ['invalid-input-response'],
  '3x0000000000000000000000000000000AA': ['timeout-or-duplicate'],
}

/** A response of siteverify. */
export interface Siteverified {
  status?: number
  body: string
}

export interface Turnstile {
  readonly url: string
  /** What siteverify was asked, oldest first. */
  readonly calls: Record<string, string>[]
  /** What siteverify answers instead; undefined: as documented. If it throws, the connection is cut. */
  onCall: (() => Siteverified | undefined | Promise<Siteverified | undefined>) | undefined
  /** Solves the captcha of a site key, as its widget does: the token. */
  solve(siteKey: string): string
  /** Lets so many seconds pass for tokens. */
  advance(seconds: number): void
  close(): Promise<void>
}

interface Token {
  siteKey: string
  solvedAt: number
  /** The `idempotency_key` of the call that spent it; null: a call without one. Undefined: nobody has. */
  spentBy?: string | null
}

/** Starts the stand-in. The secret keys that it knows are those of the files, and Cloudflare's for tests. */
export async function startTurnstile(files: () => PaywallFile[], port = 0): Promise<Turnstile> {
  const tokens = new Map<string, Token>()
  let ahead = 0
  const now = () => Date.now() / 1000 + ahead
  const server = createServer((request, response) => {
    respond(request, response).catch(() => request.socket.destroy())
  })
  const turnstile: Turnstile = {
    url: await listen(server, port),
    calls: [],
    onCall: undefined,
    solve(siteKey) {
      if (/^[123]x0{10}/.test(siteKey)) return 'XXXX.DUMMY.TOKEN.XXXX'
      const token = `0.${randomUUID()}`
      tokens.set(token, { siteKey, solvedAt: now() })
      return token
    },
    advance(seconds) {
      ahead += seconds
    },
    close: () => close(server),
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', turnstile.url)
    if (pathname === '/turnstile/v0/api.js') return sendScript(response, WIDGET)
    if (pathname === '/turnstile/v0/solve.js') {
      return sendScript(response, `solved(${JSON.stringify(turnstile.solve(searchParams.get('sitekey') ?? ''))})`)
    }
    if (pathname !== '/turnstile/v0/siteverify' || request.method !== 'POST') return void response.writeHead(404).end()
    const body = await text(request)
    const isJson = request.headers['content-type']?.includes('json')
    const fields: Record<string, string> = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))
    turnstile.calls.push(fields)
    const { status = 200, body: reply } = (await turnstile.onCall?.()) ?? { body: JSON.stringify(verify(fields)) }
    response.writeHead(status, { 'content-type': 'application/json' }).end(reply)
  }

  function verify({ secret, response, idempotency_key = null }: Record<string, string | null>) {
    if (!secret) return failed('missing-input-secret')
    if (!response) return failed('missing-input-response')
    const test = TEST_SECRETS[secret]
    if (test) return test.length > 0 ? failed(...test) : solved(now(), 'example.com')
    const siteKeys = files()
      .flatMap(({ paywalls }) => paywalls)
      .flatMap(({ turnstile: keys }) => (keys?.secretKey === secret ? keys.siteKey : []))
    if (siteKeys.length === 0) return failed('invalid-input-secret')
    const token = tokens.get(response)
    if (!token || !siteKeys.includes(token.siteKey)) return failed('invalid-input-response')
    const isRepeated = idempotency_key !== null && token.spentBy === idempotency_key
    if ((token.spentBy !== undefined && !isRepeated) || now() - token.solvedAt > TOKEN_SECONDS) {
      return failed('timeout-or-duplicate')
    }
    token.spentBy = idempotency_key
    return solved(token.solvedAt, 'localhost')
  }

  return turnstile
}

const failed = (...codes: string[]) => ({ success: false, 'error-codes': codes, messages: [] })

const solved = (at: number, hostname: string) => ({
  success: true,
  challenge_ts: new Date(at * 1000).toISOString(),
  hostname,
  'error-codes': [],
  action: '',
  cdata: '',
})

function sendScript(response: ServerResponse, script: string): void {
  response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
}

/** A widget as a person sees it: a box to tick, which gives its form a token. */
const WIDGET = `
const { origin } = new URL(document.currentScript.src)
for (const place of document.querySelectorAll('.cf-turnstile')) {
  const box = Object.assign(document.createElement('input'), { type: 'checkbox', id: 'turnstile-box' })
  const label = document.createElement('label')
  label.append(box, ' I am human (a stand-in for Turnstile)')
  const field = Object.assign(document.createElement('input'), { type: 'hidden', name: 'cf-turnstile-response' })
  place.append(label, field)
  box.addEventListener('change', () => {
    window.solved = (token) => { field.value = token }
    const script = document.createElement('script')
    script.src = origin + '/turnstile/v0/solve.js?sitekey=' + encodeURIComponent(place.dataset.sitekey)
    document.head.append(script)
  })
}
`
