import type { HttpResponse } from '../../dev/emulators/core/server.ts'
import type { Shop } from './shop.ts'

/** Larger than any reply of a processor's API. */
const HUGE = 8 * 1024 * 1024

const HTML = '<!doctype html><title>Attention Required!</title><p>ada@example.com'

/** Replies of a proxy or firewall in front of a processor, or of a processor that has changed its API. */
export const ODD_REPLIES: Readonly<Record<string, HttpResponse>> = {
  'a 204': reply(204, ''),
  'no body': reply(200, ''),
  'an empty object': reply(200, '{}'),
  null: reply(200, 'null'),
  'a text': reply(200, '"fine"'),
  'a list': reply(200, '[]'),
  'JSON of another object': reply(200, '{"object":"event","id":"evt_1","status":"fine"}'),
  'a 200 that says an error': reply(200, '{"error":{"type":"api_error","message":"try again"}}'),
  HTML: reply(200, HTML, 'text/html'),
  '8 MB': reply(200, JSON.stringify({ id: 'x'.repeat(HUGE) })),
  'a redirect': reply(302, '', 'text/html', { Location: 'https://elsewhere.example/' }),
  '400 in HTML': reply(400, HTML, 'text/html'),
  '401 in HTML': reply(401, HTML, 'text/html'),
  '403 in HTML': reply(403, HTML, 'text/html'),
  '404 in HTML': reply(404, HTML, 'text/html'),
  '404 with an empty object': reply(404, '{}'),
  '422 with null': reply(422, 'null'),
  '429 with a list': reply(429, '[]'),
  '500 with an empty object': reply(500, '{}'),
  '503 without a body': reply(503, ''),
  '500 of 8 MB': reply(500, 'x'.repeat(HUGE), 'text/plain'),
}

function reply(status: number, body: string, type = 'application/json', headers: Record<string, string> = {}) {
  return { status, headers: { 'Content-Type': type, ...headers }, body }
}

/**
 * Answers every call to the processor except the first `from` with an odd reply while `meanwhile` runs. `ran`: whether the calls take
 * effect nevertheless. Returns the number of odd replies.
 */
export async function withOddReplies<Result>(
  { emulator }: Shop,
  odd: HttpResponse,
  meanwhile: () => Promise<Result>,
  { from = 0, ran = false }: { from?: number; ran?: boolean } = {},
): Promise<{ result: Result; odd: number }> {
  let calls = 0
  emulator.onCall = async (_, run) => {
    calls += 1
    if (calls <= from) return run()
    if (ran) await run()
    return odd
  }
  try {
    const result = await meanwhile()
    return { result, odd: Math.max(0, calls - from) }
  } finally {
    emulator.onCall = undefined
  }
}
