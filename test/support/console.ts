import type { TestWorld } from './world.ts'

/** A page of the console. */
export interface ConsolePage {
  status: number
  headers: Headers
  /** Where it redirects; null: it does not. */
  location: string | null
  html: string
  /** What a reader sees of it, in one line. */
  text: string
}

/** A browser at the console without scripts: keeps the session's cookie, and does not follow redirects. */
export interface ConsoleVisitor {
  cookie: string
  get(path: string): Promise<ConsolePage>
  /** Sends a form, as a page of the console does. */
  post(path: string, form: Record<string, string>, headers?: Record<string, string>): Promise<ConsolePage>
}

export function visitConsole(world: TestWorld): ConsoleVisitor {
  const visitor: ConsoleVisitor = {
    cookie: '',
    get: (path) => request(path, {}),
    post: (path, form, headers = {}) =>
      request(path, {
        method: 'POST',
        body: new URLSearchParams(form).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', ...headers },
      }),
  }
  async function request(path: string, init: { method?: string; body?: string; headers?: Record<string, string> }) {
    const headers = { accept: 'text/html', ...(visitor.cookie && { cookie: visitor.cookie }), ...init.headers }
    const response = await world.fetch(world.consoleUrl + path, { ...init, headers })
    const [set] = response.headers.getSetCookie()
    if (set) visitor.cookie = set.slice(0, set.indexOf(';'))
    const html = await response.text()
    return {
      status: response.status,
      headers: response.headers as Headers,
      location: response.headers.get('location'),
      html,
      text: toText(html),
    }
  }
  return visitor
}

/** Signs in to the console as a member of a team. */
export async function signInToConsole(world: TestWorld, email: string): Promise<ConsoleVisitor> {
  const visitor = visitConsole(world)
  const { challenge, code } = await requestConsoleCode(world, visitor, email)
  const signedIn = await visitor.post('/sign-in', { email, challenge, code, to: '/' })
  if (signedIn.status !== 303) throw new Error(`not signed in: ${signedIn.status} ${signedIn.text}`)
  return visitor
}

/** Asks for a code, and reads it from the mail. */
export async function requestConsoleCode(world: TestWorld, visitor: ConsoleVisitor, email: string) {
  const before = mailsTo(world, email)
  const asked = await visitor.post('/sign-in', { email, to: '/' })
  return { challenge: fieldIn(asked, 'challenge'), code: await readConsoleCode(world, email, before + 1) }
}

/** How many mails an address has got. */
export const mailsTo = (world: TestWorld, email: string): number =>
  world.mail.received.filter(({ to }) => to === email).length

/** Reads the code in the `count`th mail to an address. */
export async function readConsoleCode(world: TestWorld, email: string, count: number): Promise<string> {
  const { text } = await world.mail.waitFor(email, { count })
  return /\b\d{4} \d{4}\b/.exec(text)?.[0] ?? `no code in ${text}`
}

/** The value of a hidden field. */
export function fieldIn({ html, status }: ConsolePage, name: string): string {
  const field = new RegExp(`<input type="hidden" name="${name}" value="([^"]*)"`).exec(html)?.[1]
  if (field === undefined) throw new Error(`a page with status ${status} has no field ${name}: ${toText(html)}`)
  return field
}

function toText(html: string): string {
  return html
    .replace(/<(head|script|style)\b[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
