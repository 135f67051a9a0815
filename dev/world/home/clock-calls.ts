import * as z from 'zod'
import { CommandError } from '../../../cli/command.ts'
import { type HttpRequest, type HttpResponse, header } from '../../emulators/core/server.ts'
import type { Clock } from '../clock/clock.ts'

const Advance = z.strictObject({ paywall: z.string(), advance: z.string() })

/**
 * The API of the `paywall clock` command. `GET /clock?paywall=ID` and `POST /clock {"paywall": ID, "advance": "31d"}` return
 * `{"paywall", "now"}`; the POST once everything that falls due until then has happened. Errors are 400 `{"error"}`.
 */
export async function answerClock(clock: Clock, request: HttpRequest): Promise<HttpResponse> {
  try {
    return await respond(clock, request)
  } catch (error) {
    if (error instanceof CommandError) return json(400, { error: error.message })
    throw error
  }
}

async function respond(clock: Clock, request: HttpRequest): Promise<HttpResponse> {
  if (request.method === 'POST') {
    const { paywall, advance } = readAdvance(request)
    return json(200, { paywall, now: await clock.advance(paywall, advance) })
  }
  if (request.method !== 'GET') return json(405, { error: 'method_not_allowed' }, { Allow: 'GET, POST' })
  const paywall = new URLSearchParams(request.query).get('paywall') ?? ''
  return json(200, { paywall, now: await clock.now(paywall) })
}

function readAdvance(request: HttpRequest): z.output<typeof Advance> {
  const isJson = header(request, 'content-type')?.split(';')[0]?.trim() === 'application/json'
  if (!isJson) throw new CommandError(['send Content-Type: application/json'])
  const sent = Advance.safeParse(parseJson(request.body))
  if (!sent.success) throw new CommandError(['send {"paywall": "1001", "advance": "31d"}'])
  return sent.data
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

const json = (status: number, body: object, headers: Record<string, string> = {}): HttpResponse => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: `${JSON.stringify(body)}\n`,
})
