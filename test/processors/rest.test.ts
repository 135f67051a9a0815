import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EMULATORS } from '../../dev/emulators/emulators.ts'
import { ADAPTERS } from '../../lib/processors/adapters.ts'
import { ProcessorError } from '../../lib/processors/processor.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { REPLY_LIMIT, USER_AGENT } from '../../lib/processors/rest.ts'

const CHUNK = new Uint8Array(64 * 1024).fill(0x20)

/** The error that an adapter throws when it reads a purchase and `send` answers its calls. */
async function readFailure(acquiring: (typeof PROCESSOR_NAMES)[number], send: typeof fetch): Promise<ProcessorError> {
  const options = { base: null, isTest: true, fetch: send, now: () => new Date() }
  const adapter = await ADAPTERS[acquiring](EMULATORS[acquiring].demoCredentials(), options)
  const error = await adapter.observe({ kind: 'subscription', id: '1' }).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ProcessorError) return error
  throw error ?? new Error('nothing failed')
}

/** An endless body. `read` counts the bytes that were read. */
function endlessBody() {
  const body = { read: 0, isCancelled: false }
  const stream = new ReadableStream({
    pull(controller) {
      body.read += CHUNK.length
      controller.enqueue(CHUNK)
    },
    cancel() {
      body.isCancelled = true
    },
  })
  return { body, stream }
}

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('a reply is read only up to REPLY_LIMIT', async () => {
    const { body, stream } = endlessBody()
    let calls = 0
    const error = await readFailure(acquiring, async () => {
      calls += 1
      return new Response(calls === 1 ? stream : 'x'.repeat(REPLY_LIMIT + 1))
    })
    expect(error).toMatchObject({ kind: 'unavailable', answered: false })
    expect(body).toEqual({ read: expect.any(Number), isCancelled: true })
    expect(body.read).toBeLessThan(REPLY_LIMIT + 4 * CHUNK.length)
  })

  test('each call has our User-Agent, and follows no redirect', async () => {
    const seen: [string | null, string | undefined][] = []
    await readFailure(acquiring, async (_, init) => {
      seen.push([new Headers(init?.headers).get('user-agent'), init?.redirect])
      return new Response('busy', { status: 503 })
    })
    expect(seen).toEqual([[USER_AGENT, 'manual']])
  })

  test.each([
    ['30', 30],
    ['0', 1],
    ['864000', 3600],
    ['a date', 20],
    ['soon', null],
  ])('Retry-After: %s sets retryAfter to %s, and the call is not retried before', async (header, seconds) => {
    for (const status of [429, 503]) {
      let calls = 0
      const date = new Date(Date.now() + 20_000).toUTCString()
      const headers = { 'Retry-After': header === 'a date' ? date : header }
      const error = await readFailure(acquiring, async () => {
        calls += 1
        return Response.json(ERRORS[acquiring], { status, headers })
      })
      expect(error.kind).toBe('unavailable')
      if (seconds === null) expect(error.retryAfter).toBeNull()
      else expect(Math.abs((error.retryAfter ?? 0) - seconds)).toBeLessThanOrEqual(1)
      if (seconds !== null) expect(calls).toBe(1)
    }
  })
})

/** An error in each processor's own shape. */
const ERRORS: Record<(typeof PROCESSOR_NAMES)[number], object> = {
  stripe: { error: { type: 'api_error', code: 'lock_timeout' } },
  polar: { error: 'TooManyRequests', detail: 'Rate limit exceeded' },
  chargebee: { api_error_code: 'api_request_limit_exceeded' },
  freemius: { error: { code: 'too_many' } },
  mollie: { status: 429, title: 'Too Many Requests' },
}

test('the User-Agent has the name and version of package.json', () => {
  const { name, version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  expect(USER_AGENT).toBe(`${name}/${version}`)
})
